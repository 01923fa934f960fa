/** The attachments that go with the next question, as chips above the composer. */

import { arrange, h } from "../lib/dom.js";
import { named } from "../lib/icons.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { AttachmentItem } from "./conversation.js" */

export class Chips {
  /** @type {Map<string, HTMLElement>} */
  #made = new Map();

  /**
   * @param {HTMLElement} root
   * @param {Texts} texts
   * @param {(attachId: string) => void} onRemove
   */
  constructor(root, texts, onRemove) {
    this.root = root;
    this.texts = texts;
    this.onRemove = onRemove;
  }

  /** @param {AttachmentItem[]} items */
  show(items) {
    arrange(
      this.root,
      items.map((item) => this.#chip(item)),
    );
    this.root.hidden = items.length === 0;
    const ids = new Set(items.map((item) => item.attachId));
    for (const id of this.#made.keys()) if (!ids.has(id)) this.#made.delete(id);
  }

  /** @param {AttachmentItem} item */
  #chip(item) {
    const known = this.#made.get(item.attachId);
    if (known) return known;
    const title = item.title || item.url;
    const chip = h(
      "li",
      { class: "chip", "data-attachment-id": item.attachId, "data-title": item.title, "data-chars": item.chars, title: item.url },
      h("span", { class: "title" }, title),
      h("span", { class: "size" }, this.texts.plural("chars", item.chars)),
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          "data-action": "remove-attachment",
          "aria-label": this.texts.t("removeAttachment", { title }),
          title: this.texts.t("removeAttachment", { title }),
          onclick: () => this.onRemove(item.attachId),
        },
        named("close"),
      ),
    );
    this.#made.set(item.attachId, chip);
    return chip;
  }
}
