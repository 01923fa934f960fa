/** A file that a person brings: a picture, a PDF, or text; everything else is refused in words. */

import { dataUrl, pictureUrl } from "../lib/picture-file.js";
import { NotAttached } from "./attach-page.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Requester } from "../lib/types.js" */

const MAX_FILE_BYTES = 20_000_000;

/** What the host has stored of it. @typedef {{attachId: string, title: string, chars: number}} Added */
/** A picture waits in the panel and goes with the question. @typedef {{picture: string} | {added: Added}} Brought */

/**
 * @param {File} file
 * @param {Requester} host
 * @param {Texts} texts
 * @returns {Promise<Brought>}
 * @throws {NotAttached}
 */
export async function bring(file, host, texts) {
  const refused = (/** @type {string} */ key) => new NotAttached(texts.t(key, { name: file.name }));
  if (file.size > MAX_FILE_BYTES) throw refused("fileTooLarge");
  if (file.type.startsWith("image/")) {
    const picture = await pictureUrl(file).catch(() => Promise.reject(refused("fileNoPicture")));
    return { picture };
  }
  if (file.type === "application/pdf") return { added: await addPdf(host, file) };
  const text = await file.text().catch(() => "\u0000"); // a folder, or a file that went meanwhile
  if (text.includes("\u0000") || text.includes("\uFFFD")) throw refused("fileNotText");
  if (!text.trim()) throw refused("fileEmpty");
  return { added: await addText(host, { title: file.name, mode: "file", text }) };
}

/**
 * Its text and figures are read by the host.
 * @param {Requester} host
 * @param {File} file
 */
async function addPdf(host, file) {
  const url = await dataUrl(file);
  return host.request("attachments.add", { file: { name: file.name, mime: file.type, base64: url.slice(url.indexOf(",") + 1) } });
}

/**
 * @param {Requester} host
 * @param {{title: string, mode: string, text: string}} page
 * @returns {Promise<Added>}
 */
export function addText(host, page) {
  return host.request("attachments.add", { page: { url: "", ...page } });
}

/** @param {(files: FileList) => void} onChosen */
export function chooseFiles(onChosen) {
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
  input.addEventListener("change", () => input.files && onChosen(input.files));
  input.click();
}
