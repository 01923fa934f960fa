/**
 * The one place where markup becomes elements. Answers are hostile: DOMPurify lets through a short list of elements, and nothing that
 * remains can load anything by itself (a picture's address can carry data out, so a picture becomes a link).
 */

import DOMPurify from "../vendor/purify.js";
import { h, setProp } from "./dom.js";

const TAGS = [
  "a", "blockquote", "br", "code", "dd", "del", "details", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "b", "ins", "kbd",
  "li", "mark", "ol", "p", "pre", "s", "small", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul",
];
const ATTRIBUTES = ["href", "title", "start", "align", "class", "colspan", "rowspan", "open"];
/** Those whose values need not look like a link. */
const NO_ADDRESSES = ["start", "align", "colspan", "rowspan"];
const LINK = /^https?:\/\//i;
/** How the item of a list of tasks begins. */
const TASK = /^\s*[☑☐]/;
/** A cell of more than this is a sentence, and needs some room. */
const WORDY_CHARS = 24;

/**
 * Text as it stands in markup.
 * @param {string} text
 */
export function escape(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * What an answer's Markdown was made into.
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function answerMarkup(html) {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: LINK,
    ADD_URI_SAFE_ATTR: NO_ADDRESSES,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const element of fragment.querySelectorAll("*")) secure(element);
  for (const block of fragment.children) setProp(block, "dir", block.matches("pre") ? null : "auto");
  for (const item of fragment.querySelectorAll("li")) if (TASK.test(item.textContent)) item.className = "task";
  for (const cell of fragment.querySelectorAll("th, td")) if (cell.textContent.length > WORDY_CHARS) cell.className = "wordy";
  for (const table of fragment.querySelectorAll("table")) {
    const scroller = h("div", { class: "table-scroller", tabindex: 0 });
    table.replaceWith(scroller);
    scroller.append(table);
  }
  return fragment;
}

/** @param {Element} element */
function secure(element) {
  const language = /^language-[\w+#.-]+$/.exec(element.getAttribute("class") ?? "");
  if (!language) element.removeAttribute("class");
  if (element.tagName !== "A") return;
  const href = element.getAttribute("href") ?? "";
  if (!LINK.test(href) || !URL.canParse(href)) {
    element.removeAttribute("href");
    return;
  }
  element.setAttribute("target", "_blank");
  element.setAttribute("rel", "noopener noreferrer");
  // Where a link leads is seen before it is followed, whatever its text says.
  element.setAttribute("title", new URL(href).host);
}

/**
 * What highlight.js made of a piece of code: spans with classes, nothing else.
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function codeMarkup(html) {
  return DOMPurify.sanitize(html, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], ALLOW_DATA_ATTR: false, RETURN_DOM_FRAGMENT: true });
}

/**
 * What mermaid drew. Its style sheet comes apart from it, because the page's policy lets no markup bring styles along; a script may set
 * them. Addresses other than of its own parts are taken out of both.
 * @param {string} svg
 * @returns {{drawing: SVGSVGElement | null, css: string}}
 */
export function drawingMarkup(svg) {
  const fragment = DOMPurify.sanitize(svg, { USE_PROFILES: { svg: true, svgFilters: true }, ADD_TAGS: ["style"], FORBID_TAGS: ["foreignObject", "image", "a"], RETURN_DOM_FRAGMENT: true });
  const sheets = [...fragment.querySelectorAll("style")];
  for (const sheet of sheets) sheet.remove();
  for (const element of fragment.querySelectorAll("[style]")) {
    const style = element.getAttribute("style") ?? "";
    element.removeAttribute("style");
    /** @type {SVGElement} */ (element).style.cssText = withoutAddresses(style);
  }
  for (const element of fragment.querySelectorAll("[href], [*|href]")) if (!/^#/.test(element.getAttribute("href") ?? "")) element.remove();
  return { drawing: fragment.querySelector("svg"), css: withoutAddresses(sheets.map((sheet) => sheet.textContent).join("\n")) };
}

/** @param {string} css */
function withoutAddresses(css) {
  return css.replace(/@import[^;]*;?/gi, "").replace(/(url|image-set|image)\((?!\s*["']?#)[^)]*\)/gi, "none");
}
