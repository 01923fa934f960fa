/** Making elements without markup. Text is always a text node: nothing that comes from outside is parsed here. */

/**
 * @typedef {Record<string, unknown>} Props attributes; `class`, `data-*` and `aria-*` as written; `on*` functions are listeners;
 *   true sets an empty attribute; false, null and undefined leave it out
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props} [props]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(element, name, value);
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(typeof child === "number" ? String(child) : child);
  }
  return element;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value
 */
export function setProp(element, name, value) {
  if (name.startsWith("on") && typeof value === "function") {
    element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  } else if (value === false || value === null || value === undefined) {
    element.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/**
 * @template {Element} [Found=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {Found}
 * @throws {Error} when the page has no such element: its markup and its script have parted
 */
export function need(selector, root = document) {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return /** @type {Found} */ (/** @type {unknown} */ (found));
}

/**
 * Make the children of `parent` equal to `wanted`, moving and removing as little as possible, so that focus and selection stay.
 * @param {ParentNode & Node} parent
 * @param {readonly Node[]} wanted
 */
export function arrange(parent, wanted) {
  const keep = new Set(wanted);
  for (const child of [...parent.childNodes]) if (!keep.has(child)) child.remove();
  wanted.forEach((node, index) => {
    const here = parent.childNodes[index] ?? null;
    if (here !== node) parent.insertBefore(node, here);
  });
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * An icon drawn with lines, for a button that has a label of its own.
 * @param {string} path SVG path data in a box of 24
 * @returns {SVGSVGElement}
 */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
