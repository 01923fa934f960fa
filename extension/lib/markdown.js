/**
 * Markdown of an answer as DOM: marked parses, `answerMarkup` lets through what cannot harm, and what is drawn with more than Markdown
 * (code, formulas, times) is dressed once its block is complete.
 */

import { Marked } from "../vendor/marked.js";
import { answerMarkup, escape } from "./markup.js";
import { displayed, mathExtensions } from "./math.js";

/** @import { Token, TokensList } from "../vendor/marked.js" */

/** Markup that models write where Markdown has no sign of its own; any other is shown as the text that it is. */
const PASSED_MARKUP = /^<\/?(?:br|sub|sup|kbd|mark|ins|u|small|details|summary)\s*\/?>$/i;

const OPENS_FORMULA = /\$\$|\\\[/;

/**
 * What is done to the elements of a block.
 * @typedef {object} Dress
 * @property {(nodes: ChildNode[]) => void} fresh at once, while the block may still grow: quick, and the same for the same text
 * @property {(nodes: ChildNode[]) => void} settled once nothing of it will change
 */

const marked = new Marked({
  extensions: mathExtensions,
  gfm: true,
  breaks: false,
  renderer: {
    html({ text }) {
      return text.replace(/<[^>]*>?/g, (piece) => (PASSED_MARKUP.test(piece) ? piece : escape(piece)));
    },
    image({ href, text }) {
      return `<a href="${escape(href)}">${escape(text || href)}</a>`;
    },
    code({ text, lang }) {
      return lang === "math" ? displayed(text) : false;
    },
    checkbox({ checked }) {
      return checked ? "☑ " : "☐ ";
    },
  },
});

/**
 * A message's Markdown in an element, kept up as text is added: only blocks that changed are made anew, so a long answer stays quick
 * and what a person has selected in it stays selected.
 */
export class MarkdownView {
  /** @type {{raw: string, nodes: ChildNode[], settled: boolean}[]} */
  #blocks = [];
  #links = "";
  /** The blocks at the beginning that nothing added can change, and their text: they are not parsed again. */
  #firm = { count: 0, text: "" };

  /**
   * @param {HTMLElement} root
   * @param {Dress} [dress]
   */
  constructor(root, dress) {
    this.root = root;
    this.dress = dress;
  }

  /**
   * @param {string} text the whole text so far
   * @param {{done?: boolean}} [state] done: nothing will be added
   */
  update(text, { done = false } = {}) {
    const { tokens, from } = this.#parse(text.replace(/\r\n?/g, "\n"));
    const links = JSON.stringify(tokens.links);
    // A definition that came late changes what earlier blocks refer to.
    const same = links === this.#links ? this.#sameBlocks(tokens, from) : 0;
    this.#links = links;
    for (const block of this.#blocks.splice(from + same)) for (const node of block.nodes) node.remove();
    for (const token of tokens.slice(same)) this.#append(token, tokens);
    this.#firmUp(tokens, from);
    this.#settle(done ? this.#blocks.length : this.#blocks.length - 1);
  }

  /** @param {number} count of blocks that are complete */
  #settle(count) {
    for (const block of this.#blocks.slice(0, Math.max(0, count))) {
      if (block.settled) continue;
      block.settled = true;
      this.dress?.settled(block.nodes);
    }
  }

  /**
   * @param {string} text
   * @returns {{tokens: TokensList, from: number}} the blocks from that number on
   */
  #parse(text) {
    const { count, text: known } = this.#firm;
    if (count > 0 && text.startsWith(known)) {
      const tokens = marked.lexer(text.slice(known.length));
      if (Object.keys(tokens.links).length === 0) return { tokens, from: count };
    }
    this.#firm = { count: 0, text: "" };
    return { tokens: marked.lexer(text), from: 0 };
  }

  /**
   * The last two blocks may become one, a formula that was opened may end anywhere, and a link may be defined below: all else stays.
   * @param {TokensList} tokens
   * @param {number} from
   */
  #firmUp(tokens, from) {
    if (Object.keys(tokens.links).length > 0) return;
    const last = tokens.findLastIndex(({ type }) => type !== "space");
    const open = tokens.findIndex(({ type, raw }) => type !== "code" && type !== "mathDisplay" && OPENS_FORMULA.test(raw));
    const before = tokens.slice(0, Math.max(0, last)).findLastIndex(({ type }) => type !== "space");
    const firm = tokens.slice(0, Math.max(0, open < 0 ? before : Math.min(open, before)));
    this.#firm = { count: from + firm.length, text: this.#firm.text + firm.map(({ raw }) => raw).join("") };
  }

  /**
   * @param {TokensList} tokens
   * @param {number} from
   */
  #sameBlocks(tokens, from) {
    let same = 0;
    while (from + same < this.#blocks.length && this.#blocks[from + same]?.raw === tokens[same]?.raw) same += 1;
    return same;
  }

  /**
   * @param {Token} token
   * @param {TokensList} all
   */
  #append(token, all) {
    const one = /** @type {TokensList} */ (Object.assign([token], { links: all.links }));
    const fragment = answerMarkup(marked.parser(one));
    this.dress?.fresh([...fragment.childNodes]);
    const nodes = [...fragment.childNodes];
    this.root.append(fragment);
    this.#blocks.push({ raw: token.raw, nodes, settled: false });
  }
}
