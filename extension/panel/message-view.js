/** One message of the transcript as an element, kept up while it is streamed. */

import { picturesOf, textOf } from "../lib/attachment-header.js";
import { h, setProp } from "../lib/dom.js";
import { MarkdownView } from "../lib/markdown.js";
import { earlierPart } from "./earlier.js";
import { MessageActions } from "./message-actions.js";
import { quietLine } from "./quiet-line.js";
import { thumbnail } from "./picture-viewer.js";

/** @import { Picture } from "../lib/attachment-header.js" */
/** @import { Texts } from "../lib/i18n.js" */
/** @import { Dress } from "../lib/markdown.js" */
/** @import { Message } from "../lib/protocol.js" */
/** @import { LiveTurn } from "./conversation.js" */
/** @import { AttachmentItem } from "./items.js" */
/** @import { EarlierMeans } from "./earlier.js" */
/** @import { ActionEvents } from "./message-actions.js" */

/**
 * What the views of a transcript are handed.
 * @typedef {object} ViewMeans
 * @property {Texts} texts
 * @property {Dress} dress
 * @property {ActionEvents} actions
 * @property {(picture: Picture) => void} onPicture a person wants to see it full size
 * @property {(attachId: string) => void} onRestore a person wants the whole of an attachment back
 * @property {EarlierMeans} earlier
 */

export class MessageView {
  #markdown;
  #actions;
  #shown = "";
  #done = false;
  /** Whether its text stands there as it is, and it has no buttons yet. */
  #plain = false;
  /** @type {Message | null} */
  #message = null;

  /**
   * @param {ViewMeans} means
   * @param {"user" | "assistant"} role
   */
  constructor(means, role) {
    const { texts } = means;
    this.means = means;
    this.role = role;
    this.body = h("div", { class: "message-body" });
    this.reasoning = h("p", { class: "reasoning-text" });
    this.reasoningBox = h("details", { class: "reasoning", hidden: true }, h("summary", {}, texts.t("reasoning")), this.reasoning);
    this.pictures = h("div", { class: "pictures" });
    this.foot = h("p", { class: "foot" });
    this.#actions = new MessageActions(this, texts, means.actions);
    this.element = h(
      "article",
      { "data-role": role, "aria-label": role === "user" ? texts.t("you") : texts.t("answer") },
      role === "assistant" && this.reasoningBox,
      this.pictures,
      this.body,
      this.foot,
      this.#actions.element,
    );
    this.#markdown = new MarkdownView(this.body, means.dress);
  }

  /**
   * @param {Message} message
   * @param {{plain?: boolean, readOnly?: boolean}} [how] plain: its text as it is, to be formatted when `format` is
   *   called; readOnly: nothing can be done with it
   */
  showStored(message, { plain = false, readOnly = false } = {}) {
    setProp(this.element, "data-message-id", message.id);
    setProp(this.element, "aria-busy", null);
    setProp(this.element, "data-provider", message.provider);
    setProp(this.element, "data-model", message.model);
    setProp(this.element, "data-interrupted", message.interrupted ? "true" : null);
    this.#plain ||= plain && this.#shown === "";
    if (this.#plain) this.body.textContent = textOf(message.content);
    else this.#write(textOf(message.content), true);
    showPictures(this.pictures, picturesOf(message.content), this.means);
    this.foot.textContent = quietLine(message, this.means.texts);
    this.#message = message;
    const { summaryOf } = message;
    if (summaryOf && !this.element.querySelector(".earlier")) this.element.prepend(earlierPart(summaryOf, this.means));
    if (!this.#plain && !readOnly) this.#actions.show(message);
  }

  /** @returns {boolean} whether there was something to format */
  format() {
    if (!this.#plain) return false;
    const text = this.body.textContent;
    this.#plain = false;
    if (this.role === "assistant") this.body.replaceChildren();
    this.#write(text, true);
    if (this.#message) this.#actions.show(this.#message);
    return true;
  }

  /** @param {LiveTurn} live */
  showLive(live) {
    setProp(this.element, "aria-busy", "true");
    const thinking = live.reasoning.text;
    this.reasoningBox.hidden = !thinking;
    if (this.reasoning.textContent !== thinking) this.reasoning.textContent = thinking;
    this.#write(live.text.text, false);
    this.foot.textContent = live.text.length === 0 ? this.means.texts.t("waitingForModel") : "";
  }

  /**
   * @param {string} text
   * @param {boolean} done nothing will be added
   */
  #write(text, done) {
    if (text === this.#shown && (this.#done || !done)) return;
    this.#shown = text;
    this.#done = done;
    // What a person typed is shown as typed; only answers are Markdown.
    if (this.role === "assistant") this.#markdown.update(text, { done });
    else if (!this.#actions.editing) this.body.textContent = text;
  }
}

/**
 * @param {HTMLElement} root
 * @param {Picture[]} pictures
 * @param {ViewMeans} means
 */
function showPictures(root, pictures, { texts, onPicture }) {
  const key = pictures.map(({ url, ref }) => `${ref} ${url.length}`).join();
  if (root.dataset.shown === key) return;
  root.dataset.shown = key;
  root.replaceChildren(...pictures.map((picture) => thumbnail(picture, texts, onPicture)));
}

/**
 * An attachment that went with a question.
 * @param {AttachmentItem} item
 * @param {ViewMeans} means
 */
export function attachmentNote(item, means) {
  const { texts } = means;
  const pictures = h("div", { class: "pictures" });
  showPictures(pictures, item.pictures, means);
  const line = h("p", { title: item.url }, h("span", { class: "title", dir: "auto" }, item.title || item.url), h("span", {}, `· ${texts.plural("chars", item.chars)}`));
  return h("div", { class: "attached", "data-attached": item.attachId }, line, shortened(item, means), pictures);
}

/**
 * What a rescue or a summary has left of an attachment, and the way back.
 * @param {AttachmentItem} item
 * @param {ViewMeans} means
 * @returns {Node | false}
 */
function shortened({ attachId, chars, wholeChars }, { texts, onRestore }) {
  if (wholeChars <= chars) return false;
  const button = h("button", { type: "button", class: "quiet", "data-action": "restore-attachment", onclick: () => onRestore(attachId) }, texts.t("restoreAttachment"));
  return h("p", {}, texts.t("shortenedFrom", { chars: texts.plural("chars", wholeChars) }), " ", button);
}
