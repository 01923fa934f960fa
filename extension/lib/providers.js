/** Model servers as a person chooses them. The host knows the built-in ones' addresses (docs/protocol.md, PROVIDER); here are their names. */

/** @import { Texts } from "./i18n.js" */
/** @import { Provider } from "./types.js" */

export const OFFLINE = "offline";
export const CUSTOM = "custom";

/** In the order of the settings page. `key`: whether the server wants one. */
export const BUILT_IN = Object.freeze([
  { name: OFFLINE, key: false, fields: false },
  { name: "ollama", key: false, fields: true },
  { name: "lmstudio", key: false, fields: true },
  { name: "llamacpp", key: false, fields: true },
  { name: "openai", key: true, fields: true },
  { name: "anthropic", key: true, fields: true },
  { name: "gemini", key: true, fields: true },
  { name: "openrouter", key: true, fields: true },
  { name: CUSTOM, key: true, fields: true },
]);

/** The APIs that a server of one's own may speak (PROVIDER.kind), by the names their makers give them. */
export const KINDS = Object.freeze({
  "openai-chat": "OpenAI Chat Completions",
  "openai-responses": "OpenAI Responses",
  anthropic: "Anthropic Messages",
  gemini: "Google Gemini",
  ollama: "Ollama",
});

/**
 * @param {string} name
 * @param {Texts} texts
 */
export function providerName(name, texts) {
  const key = `provider_${name}`;
  return texts.has(key) ? texts.t(key) : name;
}

/**
 * @param {string} name
 * @param {string} model
 * @param {Texts} texts
 */
export function providerLabel(name, model, texts) {
  return model ? texts.t("providerAndModel", { provider: providerName(name, texts), model }) : providerName(name, texts);
}

/**
 * Whether a provider can be asked as it is set up: the offline model, or one with an address and, where it is needed, a key.
 * @param {Provider} provider
 * @param {Record<string, unknown>} stored what the person has set, by name
 */
export function isUsable(provider, stored) {
  if (provider.name === OFFLINE) return true;
  const wantsKey = BUILT_IN.find((known) => known.name === provider.name)?.key ?? false;
  return Boolean(provider.baseUrl) && (provider.keySet || (!wantsKey && provider.name in stored) || provider.name in stored);
}
