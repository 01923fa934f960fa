/** The `apiKey` fields that a value of `providers` may carry. Keys belong to the host's key store: never to the browser, nor to a comparison. */

/**
 * @param {any} providers any JSON value
 * @returns {any} the same without `apiKey` in any provider; the value itself where there is none
 */
export function withoutApiKeys(providers) {
  if (!isRecord(providers) || !Object.values(providers).some(hasApiKey)) return providers;
  return Object.fromEntries(Object.entries(providers).map(([name, fields]) => [name, hasApiKey(fields) ? less(fields) : fields]));
}

/**
 * @param {any} providers
 * @returns {string[]} the providers that carry a key, not an empty one
 */
export function namesWithApiKey(providers) {
  if (!isRecord(providers)) return [];
  return Object.keys(providers).filter((name) => hasApiKey(providers[name]) && providers[name].apiKey !== "");
}

/** @param {any} fields */
function hasApiKey(fields) {
  return isRecord(fields) && Object.hasOwn(fields, "apiKey");
}

/** @param {Record<string, any>} fields */
function less(fields) {
  const { apiKey: _key, ...rest } = fields;
  return rest;
}

/** @param {any} value */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
