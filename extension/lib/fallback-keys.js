/**
 * The area's keys in the browser's own storage, where Sidekeep's own lie beside them. A key of the area has its own name there, as it had
 * before there was a host; only one that is named like one of Sidekeep's own is kept under another name.
 */

import { OWN_KEYS } from "./profile-keys.js";
import { fromEntries } from "./storage-value.js";

export const ESCAPE = "sidekeepArea:";

/**
 * The name under which a key of the area lies.
 * @param {string} key
 */
export function toBrowser(key) {
  return OWN_KEYS.has(key) || key.startsWith(ESCAPE) ? ESCAPE + key : key;
}

/**
 * @param {string} name
 * @returns {string | null} the area's key; null for one of Sidekeep's own
 */
export function fromBrowser(name) {
  if (OWN_KEYS.has(name)) return null;
  return name.startsWith(ESCAPE) ? name.slice(ESCAPE.length) : name;
}

/**
 * @param {Record<string, any>} items by the area's keys
 * @returns {Record<string, any>} by their names
 */
export function itemsToBrowser(items) {
  return fromEntries(Object.keys(items).map(toBrowser), Object.values(items));
}

/**
 * @param {Record<string, any>} items by name
 * @returns {Record<string, any>} by the area's keys, sorted, without Sidekeep's own
 */
export function itemsFromBrowser(items) {
  /** @type {string[]} */
  const keys = [];
  const values = [];
  for (const [name, value] of Object.entries(items)) {
    const key = fromBrowser(name);
    if (key === null) continue;
    keys.push(key);
    values.push(value);
  }
  return fromEntries(keys, values);
}
