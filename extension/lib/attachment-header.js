/** The header that makes an entry of the conversation an attachment (docs/protocol.md, Shapes). */

import { countCodePoints } from "./code-points.js";

/** @import { ImageUrl, Message } from "./protocol.js" */

/** @typedef {Message["content"]} Content */

const HEADERS = ["[Page context attached by sidekeep]", "[Page context attached by browsa]"];
const RULE = "---";

/**
 * @param {Content} content
 * @returns {{url: string, title: string, chars: number} | null} chars of the page's text, in code points; null where there is no header
 */
export function readAttachment(content) {
  const text = textOf(content);
  const lines = text.split("\n", 64);
  if (!HEADERS.includes(lines[0] ?? "")) return null;
  const end = lines.indexOf(RULE);
  if (end < 0) return null;
  // The first of a name counts, as in the host: further lines come from the page, and must not rename it.
  const fields = new Map(lines.slice(1, end).reverse().map((line) => /** @type {[string, string]} */ (splitLine(line))));
  const headLength = lines.slice(0, end + 1).join("\n").length + 1;
  const body = text.slice(headLength).replace(/^\n/, "");
  return { url: fields.get("URL") ?? "", title: fields.get("Title") ?? "", chars: countCodePoints(body) };
}

/**
 * The text of a message's content.
 * @param {Content} content
 */
export function textOf(content) {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" && typeof part.text === "string" ? [part.text] : [])).join("\n\n");
}

/** @typedef {{url: string, ref: string, width: number, height: number}} Picture url: "" where nothing small is at hand; sizes: 0 if unknown */

/**
 * The pictures of a message's content. Only what came with the message is ever shown: an address elsewhere is none.
 * @param {Content} content
 * @returns {Picture[]}
 */
export function picturesOf(content) {
  if (typeof content === "string") return [];
  const pictures = content.flatMap((part) => (part.type === "image_url" && part.image_url ? [/** @type {ImageUrl} */ (part.image_url)] : []));
  return pictures.map(({ url = "", ref = "", width = 0, height = 0 }) => ({ url: url.startsWith("data:image/") ? url : "", ref, width, height }));
}

/** @param {string} line */
function splitLine(line) {
  const colon = line.indexOf(": ");
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 2)];
}
