/** What goes with the next question, as chips above the composer: each can be looked at, and taken back. */

import { arrange, h } from "../lib/dom.js";
import { named } from "../lib/icons.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { WaitingPicture } from "./attaching.js" */
/** @import { AttachmentItem } from "./items.js" */

/** @typedef {AttachmentItem | WaitingPicture} ChipItem */

/**
 * @typedef {object} ChipEvents
 * @property {(item: ChipItem) => void} onInspect
 * @property {(item: ChipItem) => void} onRemove
 */

export class Chips {
  /** @type {Map<string, HTMLElement>} */
  #made = new Map();

  /**
   * @param {HTMLElement} root
   * @param {Texts} texts
   * @param {ChipEvents} events
   */
  constructor(root, texts, events) {
    this.root = root;
    this.texts = texts;
    this.events = events;
  }

  /** @param {ChipItem[]} items */
  show(items) {
    arrange(
      this.root,
      items.map((item) => this.#chip(item)),
    );
    this.root.hidden = items.length === 0;
    const ids = new Set(items.map(({ id }) => id));
    for (const id of this.#made.keys()) if (!ids.has(id)) this.#made.delete(id);
  }

  /** @param {ChipItem} item */
  #chip(item) {
    const known = this.#made.get(item.id);
    if (known) return known;
    const chip = "attachId" in item ? this.#textChip(item) : this.#pictureChip(item);
    this.#made.set(item.id, chip);
    return chip;
  }

  /** @param {AttachmentItem} item */
  #textChip(item) {
    const title = item.title || item.url;
    const size = this.texts.plural("chars", item.chars);
    return h(
      "li",
      { class: "chip", "data-attachment-id": item.attachId, "data-title": item.title, "data-chars": item.chars, title: item.url },
      this.#inspect(item, title, h("span", { class: "title" }, title), h("span", { class: "size" }, size)),
      this.#remove(item, title),
    );
  }

  /** @param {WaitingPicture} picture */
  #pictureChip(picture) {
    return h(
      "li",
      { class: "chip", "data-picture-id": picture.id },
      this.#inspect(picture, picture.name, h("img", { src: picture.dataUrl, alt: "" }), h("span", { class: "title" }, picture.name)),
      this.#remove(picture, picture.name),
    );
  }

  /**
   * @param {ChipItem} item
   * @param {string} title
   * @param {...Node} content
   */
  #inspect(item, title, ...content) {
    const label = this.texts.t("inspectAttachment", { title });
    return h("button", { type: "button", class: "quiet inspect", "data-action": "inspect-attachment", "aria-label": label, onclick: () => this.events.onInspect(item) }, ...content);
  }

  /**
   * @param {ChipItem} item
   * @param {string} title
   */
  #remove(item, title) {
    const label = this.texts.t("removeAttachment", { title });
    return h("button", { type: "button", class: "quiet", "data-action": "remove-attachment", "aria-label": label, title: label, onclick: () => this.events.onRemove(item) }, named("close"));
  }
}
