/** The `apiKey` fields that a value of `providers` may carry. Keys belong to the host's key store: never to the browser, nor to a comparison. */

/**
 * @param {any} value any JSON value
 * @returns {any} the same without any member `apiKey`, however deep, as the host keeps it
 */
export function withoutApiKeys(value) {
  if (Array.isArray(value)) return value.map(withoutApiKeys);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name]) => name !== "apiKey");
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutApiKeys(item)]));
}

/**
 * @param {any} providers
 * @returns {string[]} the providers that carry a key, not an empty one
 */
export function namesWithApiKey(providers) {
  if (!isRecord(providers)) return [];
  return Object.keys(providers).filter((name) => hasApiKey(providers[name]) && providers[name].apiKey !== "");
}

/**
 * Whether there is a key where no provider has it, which the host keeps nowhere.
 * @param {any} providers
 */
export function hasStrayApiKey(providers) {
  const others = isRecord(providers) ? Object.values(providers).map((fields) => (hasApiKey(fields) ? { ...fields, apiKey: undefined } : fields)) : [providers];
  return JSON.stringify(others) !== JSON.stringify(withoutApiKeys(others));
}

/** @param {any} fields */
function hasApiKey(fields) {
  return isRecord(fields) && Object.hasOwn(fields, "apiKey");
}

/** @param {any} value */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
