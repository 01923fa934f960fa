/** What the area's listeners hear when the store takes the browser's place: how the values that they knew differ from those of the store. */

import { sameValue } from "./same-value.js";
import { fromEntries } from "./storage-value.js";
import { isSpared } from "./value-watch.js";

/** @import { Changes } from "./host-storage.js" */
/** @import { Requester } from "./types.js" */

/**
 * @param {Requester["request"]} request
 * @param {Record<string, any>} before
 * @param {{values: boolean}} wanted whether the values of large keys are; a store has them by the gigabyte
 * @returns {Promise<Changes>}
 */
export async function turnover(request, before, { values }) {
  const { keys } = await request("storage.getKeys");
  const told = (/** @type {string} */ key) => values || !isSpared(key);
  const { items } = await request("storage.get", { keys: keys.filter(told) }, { timeoutMs: 180_000 });
  const all = [...new Set([...Object.keys(before), ...keys])];
  const changes = all.map((key) => (told(key) ? change(key, before, items) : { stale: /** @type {const} */ (true) }));
  const changed = all.map((_, at) => at).filter((at) => changes[at] !== null);
  return fromEntries(changed.map((at) => /** @type {string} */ (all[at])), changed.map((at) => changes[at]));
}

/**
 * @param {string} key
 * @param {Record<string, any>} before
 * @param {Record<string, any>} now
 */
function change(key, before, now) {
  const was = Object.hasOwn(before, key);
  const is = Object.hasOwn(now, key);
  if (was === is && sameValue(before[key], now[key])) return null;
  return { ...(is && { newValue: now[key] }), ...(was && { oldValue: before[key] }) };
}
