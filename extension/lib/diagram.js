/** Diagrams that an answer describes for mermaid: drawn when a person asks, because drawing runs a large program on hostile text. */

import { h } from "./dom.js";
import { mermaid } from "./late-modules.js";
import { drawingMarkup } from "./markup.js";

/** @import { Texts } from "./i18n.js" */

const FONT = "system-ui, sans-serif";
let drawn = 0;

/**
 * Put a button above a diagram's description that shows the diagram in its place, and back.
 * @param {HTMLPreElement} pre within its frame
 * @param {Texts} texts
 */
export function offerDiagram(pre, texts) {
  const place = h("div", { class: "diagram", role: "img", "aria-label": texts.t("diagram"), hidden: true });
  const button = h("button", { type: "button", class: "quiet labelled", "data-action": "draw-diagram", "aria-pressed": "false" }, texts.t("showDiagram"));
  button.addEventListener("click", async () => {
    const show = place.hidden;
    if (show && !place.shadowRoot) await draw(pre, place, texts);
    place.hidden = !show;
    pre.hidden = show;
    button.setAttribute("aria-pressed", String(show));
    button.textContent = texts.t(show ? "showCode" : "showDiagram");
  });
  pre.before(button);
  pre.after(place);
}

/**
 * @param {HTMLPreElement} pre
 * @param {HTMLElement} place
 * @param {Texts} texts
 */
async function draw(pre, place, texts) {
  const dark = getComputedStyle(pre).colorScheme.trim() === "dark" || matchMedia("(prefers-color-scheme: dark)").matches;
  // What mermaid measures must have the font that the drawing will have: its own style sheet does not count in this page.
  const bench = h("div", { class: "diagram-bench", "aria-hidden": "true" });
  document.body.append(bench);
  try {
    const { initialize, render } = await mermaid();
    initialize({ startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true, htmlLabels: false, flowchart: { htmlLabels: false }, theme: dark ? "dark" : "default", fontFamily: FONT });
    drawn += 1;
    show(place, (await render(`diagram-${drawn}`, pre.textContent ?? "", bench)).svg);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    place.attachShadow({ mode: "open" }).append(h("p", {}, texts.t("noDiagram", { said: said.split("\n")[0] ?? "" })));
  } finally {
    bench.remove();
  }
}

/**
 * @param {HTMLElement} place
 * @param {string} svg
 */
function show(place, svg) {
  const { drawing, css } = drawingMarkup(svg);
  const root = place.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  if (drawing) root.append(drawing);
}
