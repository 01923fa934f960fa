/** The light settings, as the pages need them; read from the host, kept up by its announcements. */

import { DEFAULTS, OPTIONS_DEFAULTS } from "./settings-keys.js";

/** @import { Provider, Requester } from "./types.js" */

/**
 * @typedef {object} Light
 * @property {Record<string, Provider>} providers built-ins merged in
 * @property {string} activeProvider
 * @property {string} activeModel
 * @property {string} theme "system", "light" or "dark"
 * @property {string} uiLanguage
 * @property {string} sendKey "enter" or "modEnter"
 * @property {string} systemPrompt
 * @property {string} replyLanguage "" for the question's own
 * @property {boolean} autoSummarizeAttachments
 * @property {{mode: string, messages: number, chars: number}} requestWindow mode: "full", "messages" or "chars"
 */

/**
 * @param {Requester} host
 * @returns {Promise<Light>}
 */
export async function readSettings(host) {
  const { items } = await host.request("storage.getAll");
  return /** @type {Light} */ ({ ...DEFAULTS, ...OPTIONS_DEFAULTS, ...items });
}

/**
 * What the person has set of the providers, without what the host merges in: only this may be written back.
 * @param {Requester} host
 * @returns {Promise<Record<string, Partial<Provider>>>}
 */
export async function storedProviders(host) {
  const { items } = await host.request("storage.get", { keys: { providers: {} } });
  return /** @type {Record<string, Partial<Provider>>} */ (items.providers);
}

/** What a page shows before the host has answered, so that nothing flashes: remembered from the last time. */
const LOOK_KEY = "sidekeepLook";

/** @returns {{theme: string, uiLanguage: string}} */
export function rememberedLook() {
  try {
    return { theme: "system", uiLanguage: "", ...JSON.parse(localStorage.getItem(LOOK_KEY) ?? "{}") };
  } catch {
    return { theme: "system", uiLanguage: "" };
  }
}

/** @type {string | undefined} the language that this page was loaded in; another page may have remembered a newer one */
let spoken;

/**
 * @param {{theme: string, uiLanguage: string}} look
 * @returns {boolean} whether the page must be loaded anew, because it speaks another language than is now wanted
 */
export function applyLook({ theme, uiLanguage }) {
  spoken ??= uiLanguage;
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(LOOK_KEY, JSON.stringify({ theme, uiLanguage }));
  return spoken !== uiLanguage;
}
