/** The prompts behind `/`: a person's own, in the storage area under a key of their own, and before there are any, a few to begin with. */

/** @import { Texts } from "./i18n.js" */
/** @import { Requester } from "./types.js" */

/** @typedef {{name: string, text: string}} Prompt */

export const PROMPTS_KEY = "prompts";
const BEGINNING = ["summarise", "explain", "keyPoints", "translate", "improve"];

/**
 * @param {Requester} host
 * @param {Texts} texts
 * @returns {Promise<Prompt[]>}
 */
export async function readPrompts(host, texts) {
  const { items } = await host.request("storage.get", { keys: PROMPTS_KEY });
  const kept = items[PROMPTS_KEY];
  if (!Array.isArray(kept)) return BEGINNING.map((key) => ({ name: texts.t(`prompt_${key}`), text: texts.t(`promptText_${key}`) }));
  return kept.filter((prompt) => typeof prompt?.name === "string" && typeof prompt?.text === "string");
}
