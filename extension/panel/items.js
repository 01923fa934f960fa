/** What a conversation is made of: messages, and the attachments that went with them. */

import { picturesOf, readAttachment } from "../lib/attachment-header.js";

/** @import { Picture } from "../lib/attachment-header.js" */
/** @import { Message } from "../lib/protocol.js" */

/** @typedef {{kind: "message", id: string, message: Message}} MessageItem */
/**
 * @typedef {{kind: "attachment", id: string, attachId: string, title: string, url: string, chars: number, wholeChars: number, pictures: Picture[], videoSrc: string}} AttachmentItem
 *   videoSrc: "" where it is no video's
 */
/** @typedef {MessageItem | AttachmentItem} Item */

/**
 * An attachment's text is not kept: it can be megabytes, and the panel shows title and size.
 * @param {Message} message
 * @returns {Item}
 */
export function itemOf(message) {
  const header = message.attachId ? readAttachment(message.content) : null;
  if (!message.attachId || !header) return { kind: "message", id: message.id, message };
  return { kind: "attachment", id: message.attachId, attachId: message.attachId, ...header, wholeChars: message.originalChars ?? header.chars, pictures: picturesOf(message.content), videoSrc: message.videoSrc ?? "" };
}

/** @param {Item} item */
export function lacksPictures(item) {
  const pictures = item.kind === "message" ? picturesOf(item.message.content) : item.pictures;
  return pictures.some(({ url, ref }) => !url && ref);
}

/** @param {Item} item */
export function isQuestion(item) {
  return item.kind === "message" && item.message.role === "user";
}

/** @param {Item | undefined} item */
export function reportOf(item) {
  return item?.kind === "message" ? item.message.report : undefined;
}
