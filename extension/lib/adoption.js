/**
 * What a profile kept in the browser's own storage, taken over by a store (docs/protocol.md, Adoption): bodies first, then the rest with
 * the mark, then every key is read back and compared, and only then the browser's copy goes. Each step may be repeated, so it is begun
 * again from the start wherever it was cut off.
 */

import { HostError } from "./host-errors.js";
import { planOf, SAVED_SESSIONS, SESSION_PREFIX } from "./legacy-sessions.js";
import { hasStrayApiKey, namesWithApiKey, withoutApiKeys } from "./provider-keys.js";
import { sameValue } from "./same-value.js";

/** @import { FallbackArea } from "./fallback-area.js" */
/** @import { Plan } from "./legacy-sessions.js" */
/** @import { Requester } from "./types.js" */

/** A body of pictures may be hundreds of megabytes. */
const PATIENCE = { timeoutMs: 180_000 };

/**
 * @param {Requester["request"]} request
 * @param {Pick<FallbackArea, "snapshot" | "removeUnchanged">} area
 * @returns {Promise<{before: Record<string, any>, left: string[]}>} what the browser had; keys of it that stay there, because the store does
 *     not have them as they were or because somebody changed them meanwhile
 * @throws {HostError} nothing was removed then
 */
export async function adopt(request, area) {
  const before = await area.snapshot();
  const plan = planOf(before);
  const isEmpty = Object.keys(before).length === 0;
  if (isEmpty && (await request("adoption.state")).adopted) return { before, left: [] };
  for (const [id, value] of plan.bodies) await request("adoption.body", { id, value }, PATIENCE);
  const { kept } = await request("adoption.finish", { items: plan.rest }, PATIENCE);
  const check = new Comparison(request, { plan, kept });
  /** @type {Record<string, any>} */
  const whole = {};
  for (const key of Object.keys(before)) if (await check.isThere(key)) whole[key] = before[key];
  const changed = isEmpty ? [] : await area.removeUnchanged(whole);
  return { before, left: [...Object.keys(before).filter((key) => !Object.hasOwn(whole, key)), ...changed] };
}

/** Whether the store has what the browser had. */
class Comparison {
  #request;
  #plan;
  #kept;

  /**
   * @param {Requester["request"]} request
   * @param {{plan: Plan, kept: string[]}} taken `kept`: keys for which the store has a value of its own, which stays
   */
  constructor(request, { plan, kept }) {
    this.#request = request;
    this.#plan = plan;
    this.#kept = kept;
  }

  /** @param {string} key */
  async isThere(key) {
    const rest = this.#plan.rest;
    if (key.startsWith(SESSION_PREFIX)) return this.#isSame(key, this.#plan.bodies.get(key.slice(SESSION_PREFIX.length)));
    if (key === SAVED_SESSIONS) return this.#isIndexThere(rest[key]);
    // Which chat was open ends with the conversation, which is a saved chat now.
    if (key === "activeSessionId") return true;
    if (key === "history" && sameValue(rest[key], [])) return true;
    if (key === "providers" && !(await this.#areApiKeysThere(rest[key]))) return false;
    return this.#kept.includes(key) || this.#isSame(key, key === "providers" ? withoutApiKeys(rest[key]) : rest[key]);
  }

  /** @param {any} index with light entries */
  async #isIndexThere(index) {
    if (!Array.isArray(index)) return false;
    // Embedded histories are removed with this key.
    for (const [id, body] of this.#plan.bodies) if (!(await this.#isSame(SESSION_PREFIX + id, body))) return false;
    if (this.#kept.includes(SAVED_SESSIONS) || index.length === 0) return true;
    const there = await this.#read(SAVED_SESSIONS);
    return Array.isArray(there) && index.every((entry) => there.some((found) => describes(found, entry)));
  }

  /** No method returns a key; the provider tells whether it has one. @param {any} providers */
  async #areApiKeysThere(providers) {
    if (hasStrayApiKey(providers)) return false;
    const names = namesWithApiKey(providers);
    if (names.length === 0) return true;
    const { items } = await this.#request("storage.getAll");
    const known = /** @type {Record<string, {keySet?: boolean}>} */ (items.providers);
    return names.every((name) => known[name]?.keySet === true);
  }

  /**
   * @param {string} key
   * @param {any} original
   */
  async #isSame(key, original) {
    return sameValue(await this.#read(key), original);
  }

  /**
   * @param {string} key
   * @returns {Promise<any>} undefined where the store has nothing
   */
  async #read(key) {
    try {
      return (await this.#request("adoption.read", { key }, PATIENCE)).value;
    } catch (error) {
      if (error instanceof HostError && error.kind === "not_found") return undefined;
      throw error;
    }
  }
}

/**
 * @param {any} found the store's description of a chat
 * @param {any} entry the browser's; the digest is made from the body
 */
function describes(found, entry) {
  const { textDigest: _digest, ...told } = entry ?? {};
  return typeof told.id === "string" && Object.entries(told).every(([name, value]) => sameValue(found[name], value));
}
