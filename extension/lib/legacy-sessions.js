/**
 * What a profile kept, as the host adopts it: bodies by session id, and everything else. Saved chats of old lie in one key, each index
 * entry with its whole `history`: such an entry becomes a body and a light entry. The same items always give the same plan, so that
 * an adoption that was cut off sends nothing under a second id.
 */

import { sameValue } from "./same-value.js";

export const SAVED_SESSIONS = "savedSessions";
export const SESSION_PREFIX = "session_";

/**
 * @typedef {object} Plan
 * @property {Map<string, any>} bodies by session id
 * @property {Record<string, any>} rest every other key; `savedSessions` with light entries only
 */

/**
 * @param {Record<string, any>} items
 * @returns {Plan}
 */
export function planOf(items) {
  /** @type {Map<string, any>} */
  const bodies = new Map();
  /** @type {[string, any][]} */
  const rest = [];
  for (const [key, value] of Object.entries(items)) {
    if (key.startsWith(SESSION_PREFIX)) bodies.set(key.slice(SESSION_PREFIX.length), value);
    else rest.push([key, value]);
  }
  const light = rest.map(([key, value]) => [key, key === SAVED_SESSIONS && Array.isArray(value) ? indexOf(value, bodies) : value]);
  return { bodies, rest: Object.fromEntries(light) };
}

/**
 * @param {any[]} entries
 * @param {Map<string, any>} bodies embedded histories are added
 */
function indexOf(entries, bodies) {
  return entries.map((entry, at) => {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return entry;
    const named = typeof entry.id === "string" || typeof entry.id === "number" ? { ...entry, id: String(entry.id) } : entry;
    if (!Array.isArray(entry.history)) return named;
    const { history, ...light } = named;
    const id = freeId(typeof named.id === "string" ? named.id : `legacy-${at}`, history, bodies);
    bodies.set(id, history);
    return { ...light, id };
  });
}

/**
 * @param {string} wanted
 * @param {any} body
 * @param {Map<string, any>} bodies
 * @returns {string} `wanted`, unless another body has it
 */
function freeId(wanted, body, bodies) {
  const isFree = (/** @type {string} */ id) => !bodies.has(id) || sameValue(bodies.get(id), body);
  let id = wanted;
  for (let other = 2; !isFree(id); other += 1) id = `${wanted}-${other}`;
  return id;
}
