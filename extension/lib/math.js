/**
 * Formulas in an answer: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on their own. Until KaTeX has set one, and where it cannot, the
 * formula is shown as it was written.
 */

import { h } from "./dom.js";
import { katex } from "./late-modules.js";
import { escape } from "./markup.js";

/** @import { TokenizerAndRendererExtension } from "../vendor/marked.js" */

const INLINE = "language-math-inline";
const DISPLAY = "language-math-display";
// As pandoc has it: the first dollar touches what follows, the last what precedes it, and no digit follows that. Prices are no formulas.
const IN_LINE = /^(?:\\\((.+?)\\\)|\$\$([^$\n]+?)\$\$|\$(?![\s$])((?:\\.|[^$\\\n])+?)(?<!\s)\$(?!\d))/;
const ON_ITS_OWN = /^(?:\$\$([^$]+?)\$\$|\\\[([\s\S]+?)\\\])(?:\n|$)/;
/** A formula that expands without end, or to the size of a wall, is none. */
const LIMITS = { throwOnError: true, trust: false, strict: "ignore", maxExpand: 200, maxSize: 20 };

/** @type {TokenizerAndRendererExtension[]} */
export const mathExtensions = [
  {
    name: "mathDisplay",
    level: "block",
    start: (text) => text.match(/\$\$|\\\[/)?.index,
    tokenizer: (text) => token("mathDisplay", ON_ITS_OWN.exec(text)),
    renderer: ({ tex }) => displayed(tex),
  },
  {
    name: "mathInline",
    level: "inline",
    start: (text) => text.match(/\$|\\\(/)?.index,
    tokenizer: (text) => token("mathInline", IN_LINE.exec(text)),
    renderer: ({ tex }) => `<code class="${INLINE}">${escape(tex)}</code>`,
  },
];

/**
 * A formula on its own, to be set later.
 * @param {string} tex
 */
export function displayed(tex) {
  return `<p><code class="${DISPLAY}">${escape(tex)}</code></p>`;
}

/**
 * @param {string} type
 * @param {RegExpExecArray | null} match
 */
function token(type, match) {
  if (!match) return undefined;
  const tex = match.slice(1).find((group) => group !== undefined) ?? "";
  return { type, raw: match[0], tex: tex.trim() };
}

/**
 * Set the formulas within an element.
 * @param {Element} root
 */
export async function setFormulas(root) {
  const written = [...root.querySelectorAll(`code.${INLINE}, code.${DISPLAY}`)];
  if (written.length === 0) return;
  const { render } = await katex();
  for (const code of written) {
    const display = !code.classList.contains(INLINE);
    const set = h("span", { class: display ? "formula display" : "formula", tabindex: display ? 0 : undefined });
    try {
      render(code.textContent ?? "", set, { ...LIMITS, displayMode: display });
      code.replaceWith(set);
    } catch {
      // no formula that KaTeX knows: it stays as it was written
    }
  }
}
