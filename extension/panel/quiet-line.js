/** The line below an answer: who gave it, how many tokens it took, and what the model was not shown. */

import { providerLabel } from "../lib/providers.js";

/** @import { Texts } from "../lib/i18n.js" */
/** @import { Message, Report } from "../lib/protocol.js" */

/** Fields of REPORT that say what was left out, each with the message key of its plural. */
const LEFT_OUT = /** @type {const} */ ({
  messagesDropped: "messagesLeftOut",
  imagesLabelled: "picturesLeftOut",
  attachmentsAged: "attachmentsAged",
  attachmentsTrimmed: "attachmentsTrimmed",
});

/**
 * @param {Message} message
 * @param {Texts} texts
 */
export function quietLine(message, texts) {
  const who = message.provider ? providerLabel(message.provider, message.model ?? "", texts) : "";
  const tokens = message.usage ? texts.plural("tokens", message.usage.promptTokens + message.usage.completionTokens) : "";
  return [who, tokens, ...leftOut(message.report, texts), message.readInPart ? texts.t("readInPart") : "", message.interrupted ? texts.t("interrupted") : ""].filter(Boolean).join(" · ");
}

/**
 * @param {Report | undefined} report
 * @param {Texts} texts
 */
function leftOut(report, texts) {
  if (!report) return [];
  return Object.entries(LEFT_OUT).flatMap(([field, key]) => {
    const count = report[/** @type {keyof typeof LEFT_OUT} */ (field)];
    return count > 0 ? [texts.plural(key, count)] : [];
  });
}
