/** The transcript: what the conversation holds, as elements, each made once and kept. */

import { arrange, setProp } from "../lib/dom.js";
import { attachmentNote, MessageView } from "./message-view.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Conversation, Item } from "./conversation.js" */

/** Nearer to the end than this, the view follows what is added. */
const FOLLOW_PX = 48;

export class Transcript {
  /** @type {Map<string, {element: HTMLElement, view: MessageView | null, stored: object | null}>} */
  #rows = new Map();
  /** @type {{turn: string, view: MessageView} | null} */
  #live = null;
  #frame = 0;
  #following = true;

  /**
   * @param {HTMLElement} root
   * @param {Conversation} conversation
   * @param {Texts} texts
   */
  constructor(root, conversation, texts) {
    this.root = root;
    this.conversation = conversation;
    this.texts = texts;
    root.addEventListener("scroll", () => {
      this.#following = root.scrollHeight - root.scrollTop - root.clientHeight < FOLLOW_PX;
    });
    // An alert or a growing composer takes room from below: what was just read stays in view.
    new ResizeObserver(() => this.#stay()).observe(root);
  }

  /** Show what changed with the next frame: many pieces of an answer may come within one. */
  show() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.render();
    });
    // A panel that is not on screen gets no frames; what it holds must be right all the same.
    if (document.hidden) this.render();
  }

  render() {
    const wanted = this.conversation.shown.map((item) => this.#row(item));
    const live = this.#liveElement();
    if (live) wanted.push(live);
    arrange(this.root, wanted);
    setProp(this.root, "aria-busy", this.conversation.live ? "true" : "false");
    this.#forget();
    this.#stay();
  }

  #stay() {
    if (this.#following) this.root.scrollTop = this.root.scrollHeight;
  }

  /** Go to the end, and stay there: a person has sent something. */
  follow() {
    this.#following = true;
  }

  /** @param {Item} item */
  #row(item) {
    const known = this.#rows.get(item.id) ?? this.#make(item);
    if (item.kind === "message" && known.view && known.stored !== item.message) {
      known.view.showStored(item.message);
      known.stored = item.message;
    }
    return known.element;
  }

  /** @param {Item} item */
  #make(item) {
    const view = item.kind === "message" ? this.#viewFor(item.message.role) : null;
    const element = item.kind === "attachment" ? attachmentNote(item, this.texts) : /** @type {MessageView} */ (view).element;
    const row = { element, view, stored: null };
    this.#rows.set(item.id, row);
    return row;
  }

  /** @param {string} role */
  #viewFor(role) {
    const asked = role === "user";
    const finished = asked ? null : this.#live;
    // The finished answer goes on in the element it was streamed into: nothing flickers, a selection stays.
    if (finished && !this.conversation.live) {
      this.#live = null;
      return finished.view;
    }
    return new MessageView(this.texts, asked ? "user" : "assistant");
  }

  #liveElement() {
    const live = this.conversation.live;
    if (!live) {
      this.#live = null;
      return null;
    }
    if (this.#live?.turn !== live.turn) this.#live = { turn: live.turn, view: new MessageView(this.texts, "assistant") };
    this.#live.view.showLive(live);
    return this.#live.view.element;
  }

  #forget() {
    const ids = new Set(this.conversation.shown.map((item) => item.id));
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id);
  }
}
