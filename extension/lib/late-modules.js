/** Third-party modules that only some answers need, each loaded when the first one does. */

// Not written as literals where they are imported: their sources are no part of what tsc checks.
const HIGHLIGHT = "../vendor/highlight.js";
const KATEX = "../vendor/katex/katex.js";
const MERMAID = new URL("../vendor/mermaid.js", import.meta.url).href;
const KATEX_STYLE = new URL("../vendor/katex/katex.css", import.meta.url).href;

/**
 * @typedef {object} Highlighter
 * @property {(name: string) => unknown} getLanguage undefined for one that it does not know
 * @property {(code: string, options: {language: string, ignoreIllegals: boolean}) => {value: string}} highlight
 */

/** @typedef {{render: (tex: string, element: HTMLElement, options: object) => void}} Katex */

/**
 * @typedef {object} Mermaid
 * @property {(config: object) => void} initialize
 * @property {(id: string, text: string, container?: Element) => Promise<{svg: string}>} render
 */

/** @returns {Promise<Highlighter>} */
export async function highlighter() {
  return (await import(HIGHLIGHT)).default;
}

/** With its style sheet. @returns {Promise<Katex>} */
export async function katex() {
  if (!document.querySelector("link[data-katex]")) {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: KATEX_STYLE });
    link.dataset.katex = "";
    document.head.append(link);
  }
  return (await import(KATEX)).default;
}

/** It is a classic script: it leaves its name in the page. @returns {Promise<Mermaid>} */
export async function mermaid() {
  const page = /** @type {{mermaid: Mermaid | undefined}} */ (/** @type {unknown} */ (globalThis));
  const before = page.mermaid;
  if (before) return before;
  const script = Object.assign(document.createElement("script"), { src: MERMAID });
  await new Promise((resolve, reject) => {
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error("mermaid could not be loaded")));
    document.head.append(script);
  });
  const { mermaid: loaded } = page;
  if (!loaded) throw new Error("mermaid left no name");
  return loaded;
}
