/**
 * Markdown of an answer as DOM. Answers are hostile: marked parses, DOMPurify lets through a short list of elements, and nothing that
 * remains can load anything by itself (a picture's address can carry data out, so a picture becomes a link). This is the only module
 * that lets markup become elements.
 */

import { Marked } from "../vendor/marked.js";
import DOMPurify from "../vendor/purify.js";
import { h } from "./dom.js";

/** @import { Token, TokensList } from "../vendor/marked.js" */

const TAGS = [
  "a", "blockquote", "br", "code", "dd", "del", "details", "dl", "dt", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "b", "ins", "kbd",
  "li", "mark", "ol", "p", "pre", "s", "small", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul",
];
const ATTRIBUTES = ["href", "title", "start", "align", "class", "colspan", "rowspan", "open"];
const LINK = /^https?:\/\//i;
/** Markup that models write where Markdown has no sign of its own; any other is shown as the text that it is. */
const PASSED_MARKUP = /^<\/?(?:br|sub|sup|kbd|mark|ins|u|small|details|summary)\s*\/?>$/i;

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html({ text }) {
      return text.replace(/<[^>]*>?/g, (piece) => (PASSED_MARKUP.test(piece) ? piece : escape(piece)));
    },
    image({ href, text }) {
      return `<a href="${escape(href)}">${escape(text || href)}</a>`;
    },
    checkbox({ checked }) {
      return checked ? "☑ " : "☐ ";
    },
  },
});

/** @param {string} text */
function escape(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
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
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function sanitise(html) {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: LINK,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const element of fragment.querySelectorAll("*")) secure(element);
  for (const table of fragment.querySelectorAll("table")) {
    const scroller = h("div", { class: "table-scroller", tabindex: 0 });
    table.replaceWith(scroller);
    scroller.append(table);
  }
  return fragment;
}

/**
 * A message's Markdown in an element, kept up as text is added: only blocks that changed are made anew, so a long answer stays quick
 * and what a person has selected in it stays selected.
 */
export class MarkdownView {
  /** @type {{raw: string, nodes: ChildNode[]}[]} */
  #blocks = [];
  #links = "";

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
  }

  /** @param {string} text the whole text so far */
  update(text) {
    const tokens = marked.lexer(text);
    const links = JSON.stringify(tokens.links);
    // A definition that came late changes what earlier blocks refer to.
    const same = links === this.#links ? this.#sameBlocks(tokens) : 0;
    this.#links = links;
    for (const block of this.#blocks.splice(same)) for (const node of block.nodes) node.remove();
    for (const token of tokens.slice(same)) this.#append(token, tokens);
  }

  /** @param {TokensList} tokens */
  #sameBlocks(tokens) {
    let same = 0;
    while (same < this.#blocks.length && this.#blocks[same]?.raw === tokens[same]?.raw) same += 1;
    return same;
  }

  /**
   * @param {Token} token
   * @param {TokensList} all
   */
  #append(token, all) {
    const one = /** @type {TokensList} */ (Object.assign([token], { links: all.links }));
    const fragment = sanitise(marked.parser(one));
    const nodes = [...fragment.childNodes];
    this.root.append(fragment);
    this.#blocks.push({ raw: token.raw, nodes });
  }
}
