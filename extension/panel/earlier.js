/** What a summary stands for: folded, read when it is opened, and the way back to it. */

import { h } from "../lib/dom.js";
import { itemOf } from "./items.js";
import { attachmentNote, MessageView } from "./message-view.js";

/** @import { Message } from "../lib/protocol.js" */
/** @import { ViewMeans } from "./message-view.js" */

/**
 * @typedef {object} EarlierMeans
 * @property {(checkpoint: string) => Promise<Message[]>} read the messages that a checkpoint has
 * @property {(checkpoint: string) => void} onReturn a person wants to go on with them
 */

/**
 * @param {string} checkpoint
 * @param {ViewMeans} means
 * @returns {HTMLElement}
 */
export function earlierPart(checkpoint, means) {
  const { texts, earlier } = means;
  const messages = h("div", { class: "earlier-messages", tabindex: 0, role: "group", "aria-label": texts.t("earlierPart") });
  const back = h("button", { type: "button", class: "quiet", "data-action": "return-to-whole", onclick: () => earlier.onReturn(checkpoint) }, texts.t("returnToWhole"));
  const box = h("details", { class: "earlier", "data-checkpoint": checkpoint }, h("summary", {}, texts.t("earlierPart")), messages, back);
  box.addEventListener("toggle", () => box.open && void fill(messages, checkpoint, means));
  return box;
}

/**
 * @param {HTMLElement} root
 * @param {string} checkpoint
 * @param {ViewMeans} means
 */
async function fill(root, checkpoint, means) {
  if (root.childElementCount > 0) return;
  const stored = await means.earlier.read(checkpoint);
  root.replaceChildren(...stored.map((message) => element(message, means)));
}

/**
 * @param {Message} message
 * @param {ViewMeans} means
 */
function element(message, means) {
  const item = itemOf(message);
  if (item.kind === "attachment") return attachmentNote(item, means);
  const view = new MessageView(means, message.role === "user" ? "user" : "assistant");
  view.showStored(message, { readOnly: true });
  return view.element;
}
