/** One message of the transcript as an element, kept up while it is streamed. */

import { picturesOf, textOf } from "../lib/attachment-header.js";
import { h, setProp } from "../lib/dom.js";
import { MarkdownView } from "../lib/markdown.js";
import { providerLabel } from "../lib/providers.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Message } from "../lib/protocol.js" */
/** @import { AttachmentItem, LiveTurn } from "./conversation.js" */

export class MessageView {
  #markdown;
  /** @type {string | null} */
  #shown = null;

  /**
   * @param {Texts} texts
   * @param {"user" | "assistant"} role
   */
  constructor(texts, role) {
    this.texts = texts;
    this.role = role;
    this.body = h("div", { class: "message-body" });
    this.reasoning = h("p", { class: "reasoning-text" });
    this.reasoningBox = h("details", { class: "reasoning", hidden: true }, h("summary", {}, texts.t("reasoning")), this.reasoning);
    this.pictures = h("div", { class: "pictures" });
    this.foot = h("p", { class: "foot" });
    this.element = h(
      "article",
      { "data-role": role, "aria-label": role === "user" ? texts.t("you") : texts.t("answer") },
      this.reasoningBox,
      this.pictures,
      this.body,
      this.foot,
    );
    this.#markdown = new MarkdownView(this.body);
  }

  /** @param {Message} message */
  showStored(message) {
    setProp(this.element, "data-message-id", message.id);
    setProp(this.element, "aria-busy", null);
    setProp(this.element, "data-provider", message.provider);
    setProp(this.element, "data-model", message.model);
    setProp(this.element, "data-interrupted", message.interrupted ? "true" : null);
    this.#write(textOf(message.content));
    this.#picture(message);
    const who = message.provider ? providerLabel(message.provider, message.model ?? "", this.texts) : "";
    const parts = [who, message.interrupted ? this.texts.t("interrupted") : ""].filter(Boolean);
    this.foot.textContent = parts.join(" · ");
  }

  /** @param {LiveTurn} live */
  showLive(live) {
    setProp(this.element, "aria-busy", "true");
    const thinking = live.reasoning.text;
    this.reasoningBox.hidden = !thinking;
    if (this.reasoning.textContent !== thinking) this.reasoning.textContent = thinking;
    this.#write(live.text.text);
    this.foot.textContent = live.text.length === 0 ? this.texts.t("waitingForModel") : "";
  }

  /** @param {string} text */
  #write(text) {
    if (text === this.#shown) return;
    this.#shown = text;
    // What a person typed is shown as typed; only answers are Markdown.
    if (this.role === "user") this.body.textContent = text;
    else this.#markdown.update(text);
  }

  /** @param {Message} message */
  #picture(message) {
    const wanted = picturesOf(message.content).map(({ url }) => url);
    const shown = [...this.pictures.children].map((picture) => picture.getAttribute("src"));
    if (wanted.length === shown.length && wanted.every((url, index) => url === shown[index])) return;
    this.pictures.replaceChildren(...wanted.map((url) => h("img", { src: url, alt: this.texts.t("picture"), loading: "lazy" })));
  }
}

/**
 * An attachment that went with a question.
 * @param {AttachmentItem} item
 * @param {Texts} texts
 */
export function attachmentNote(item, texts) {
  const size = texts.plural("chars", item.chars);
  return h("p", { class: "attached", "data-attached": item.attachId, title: item.url }, h("span", { class: "title" }, item.title || item.url), ` · ${size}`);
}
