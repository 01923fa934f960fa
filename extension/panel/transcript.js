/** The transcript: what the conversation holds, as elements, each made once and kept. */

import { arrange, setProp } from "../lib/dom.js";
import { onceAFrame } from "../lib/once-a-frame.js";
import { attachmentNote, MessageView } from "./message-view.js";

/** @import { Conversation } from "./conversation.js" */
/** @import { Item } from "./items.js" */
/** @import { ViewMeans } from "./message-view.js" */

/** Nearer to the end than this, the view follows what is added. */
const FOLLOW_PX = 48;
/** So many rows fill a screen: all that is made before the rest of the panel is loaded. */
const SCREEN = 8;
/** So many of the newest messages are formatted at once; older ones show their text as it is until there is time. */
const AT_ONCE = 4;
/** So many rows are made at once, from the end; the others follow in tasks of their own. */
const ROWS_AT_ONCE = 20;
/** The longest that formatting older messages holds up the page. */
const SLICE_MS = 8;

export class Transcript {
  /** @type {Map<string, {element: HTMLElement, view: MessageView | null, stored: object | null}>} */
  #rows = new Map();
  /** @type {{turn: string, view: MessageView} | null} */
  #live = null;
  #slice = 0;
  #following = true;

  /**
   * @param {HTMLElement} root
   * @param {Conversation} conversation
   * @param {ViewMeans} means
   */
  constructor(root, conversation, means) {
    this.root = root;
    this.conversation = conversation;
    this.means = means;
    root.addEventListener("scroll", () => {
      this.#following = root.scrollHeight - root.scrollTop - root.clientHeight < FOLLOW_PX;
    });
    // An alert or a growing composer takes room from below: what was just read stays in view.
    new ResizeObserver(() => this.#stay()).observe(root);
  }

  /** Show what changed, soon: many pieces of an answer may come within one frame. */
  show = onceAFrame(() => this.render());

  /** Show the newest messages, and nothing more for now. */
  renderEnd() {
    this.#render(SCREEN);
  }

  render() {
    if (this.#render(ROWS_AT_ONCE)) this.#formatLater();
    else setTimeout(() => this.render());
  }

  /**
   * @param {number} most the number of rows that may be made
   * @returns {boolean} whether all messages have theirs
   */
  #render(most) {
    const all = this.conversation.shown;
    const items = all.slice(this.#firstToShow(all, most));
    const wanted = items.map((item, index) => this.#row(item, index < items.length - AT_ONCE));
    const live = this.#liveElement();
    if (live) wanted.push(live);
    arrange(this.root, wanted);
    setProp(this.root, "aria-busy", this.conversation.live ? "true" : "false");
    this.#forget(items);
    this.#stay();
    return items.length === all.length;
  }

  /**
   * Where to begin, so that not too many rows are made at once.
   * @param {Item[]} items
   * @param {number} most
   */
  #firstToShow(items, most) {
    let made = 0;
    for (let index = items.length - 1; index >= 0; index -= 1) {
      if (!this.#rows.has(/** @type {Item} */ (items[index]).id) && ++made > most) return index + 1;
    }
    return 0;
  }

  #stay() {
    if (this.#following) this.root.scrollTop = this.root.scrollHeight;
  }

  /** Go to the end, and stay there: a person has sent something. */
  follow() {
    this.#following = true;
  }

  /** Newest first, a little at a time. */
  #formatLater() {
    this.#slice ||= window.setTimeout(() => {
      this.#slice = 0;
      const until = performance.now() + SLICE_MS;
      const left = this.conversation.shown.findLast(({ id }) => this.#rows.get(id)?.view?.format() && performance.now() > until);
      this.#stay();
      if (left) this.#formatLater();
    });
  }

  /**
   * @param {Item} item
   * @param {boolean} old its formatting can wait
   */
  #row(item, old) {
    const known = this.#rows.get(item.id) ?? this.#make(item);
    if (known.stored === itemContent(item)) return known.element;
    known.stored = itemContent(item);
    if (item.kind === "message") known.view?.showStored(item.message, { plain: old });
    else known.element.replaceChildren(...attachmentNote(item, this.means).childNodes);
    return known.element;
  }

  /** @param {Item} item */
  #make(item) {
    const view = item.kind === "message" ? this.#viewFor(item.message.role) : null;
    const element = item.kind === "attachment" ? attachmentNote(item, this.means) : /** @type {MessageView} */ (view).element;
    const row = { element, view, stored: item.kind === "attachment" ? itemContent(item) : null };
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
    return new MessageView(this.means, asked ? "user" : "assistant");
  }

  #liveElement() {
    const live = this.conversation.live;
    if (!live) {
      this.#live = null;
      return null;
    }
    if (this.#live?.turn !== live.turn) this.#live = { turn: live.turn, view: new MessageView(this.means, "assistant") };
    this.#live.view.showLive(live);
    return this.#live.view.element;
  }

  /** @param {Item[]} items */
  #forget(items) {
    const ids = new Set(items.map((item) => item.id));
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id);
  }
}

/** @param {Item} item */
function itemContent(item) {
  return item.kind === "message" ? item.message : item.pictures;
}
