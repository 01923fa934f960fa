/**
 * A storage area in the host that cannot be told from `chrome.storage.local`: same calls, results, errors and events, in the same order
 * (docs/protocol.md, Storage area). One round trip a call. Requests leave in order of the calls and the host answers `storage.*` in
 * order, so nothing is queued here.
 */

import { HostError } from "./host-errors.js";
import { ACCESS_LEVELS, checkAccessLevel, defaultsOf, itemsOf, keysOf } from "./storage-arguments.js";
import { makeArea } from "./storage-area.js";
import { StorageEvent } from "./storage-event.js";
import { copyOf, fromEntries, mergeDefaults } from "./storage-value.js";
import { HEAVY_KEYS } from "./value-watch.js";

/** @import { Methods } from "./protocol.js" */
/** @import { RequestOptions } from "./types.js" */

/** The browser's own never gives up; half a gigabyte takes it 12 s. */
const TIMEOUT_MS = 120_000;

/** @typedef {{request(method: keyof Methods, params: any, options?: RequestOptions): Promise<any>}} StorageHost */

/** An array costs the browser 7 us to tell from a Proxy of one: past this many in one value, it is taken for what it says. */
const ARRAYS_ASKED = 2_000;

/**
 * @typedef {object} StorageOptions
 * @property {StorageHost} host
 * @property {object} runtime chrome.runtime, for `lastError`
 * @property {(value: unknown) => boolean} [isArray] whether the browser takes a value for an array
 * @property {number} [quotaBytes] the most that keys and values may take together; without, there is no limit
 */

/** @typedef {Record<string, {stale?: true, oldValue?: any, newValue?: any}>} Changes */

/**
 * A request, and what its result becomes.
 * @typedef {{method: keyof Methods, params: object, answer?: (result: any) => any}} Call
 */

/** One area with its two events, shaped like `chrome.storage`. */
export class HostStorage {
  #host;
  #isArray;
  #quotaBytes;
  #wanted = false;
  #onAreaChanged = new StorageEvent(() => this.#watch());
  #onChanged = new StorageEvent(() => this.#watch());

  /** @param {StorageOptions} options */
  constructor({ host, runtime, isArray = Array.isArray, quotaBytes }) {
    this.#host = host;
    this.#isArray = isArray;
    this.#quotaBytes = quotaBytes;
    /** @type {(method: string, value: any) => Promise<any>} */
    const invoke = (method, value) => this.#send(this.#calls[method]?.(value) ?? fence());
    /** `local`, `onChanged` and `AccessLevel` of chrome.storage. */
    this.storage = {
      local: makeArea({ invoke, isArray, runtime }, this.#onAreaChanged),
      onChanged: this.#onChanged,
      AccessLevel: Object.fromEntries(ACCESS_LEVELS.map((level) => [level, level])),
    };
  }

  /** Whether anybody hears the area's events, so that values are wanted. */
  get listening() {
    return this.#onAreaChanged.hasListeners() || this.#onChanged.hasListeners();
  }

  /**
   * Take the host's `storage.onChanged`. The area's event comes first; each event has an object of its own.
   * @param {{changes: Changes, areaName: string}} announced
   */
  hear({ changes, areaName }) {
    const told = Object.entries(changes).filter(([, change]) => !change.stale);
    if (!this.listening || told.length === 0) return;
    const own = fromEntries(told.map(([key]) => key), told.map(([, change]) => change));
    const copy = this.#onChanged.hasListeners() && this.#onAreaChanged.hasListeners() ? copyOf(own) : own;
    StorageEvent.fire(this.#onAreaChanged, own);
    StorageEvent.fire(this.#onChanged, copy, areaName);
  }

  /** A new connection knows nothing of listeners: call when one stands. */
  renew() {
    this.#wanted = false;
    this.#watch();
  }

  /** Sent before anything that is called after it, so a listener misses no change that it could know of. */
  #watch() {
    if (this.listening === this.#wanted) return;
    this.#wanted = this.listening;
    // Without a host there are no events; `renew` repeats this when there is one.
    this.#host.request("storage.watch", { keys: HEAVY_KEYS, values: this.#wanted }).catch(() => {});
  }

  /**
   * @param {Call} call
   * @returns {Promise<any>}
   */
  #send({ method, params, answer }) {
    return this.#host.request(method, params, { timeoutMs: TIMEOUT_MS }).then(answer ?? (() => undefined), refuse);
  }

  /** @type {Record<string, (value: any) => Call>} the methods with arguments read and checked, at the time of the call */
  #calls = {
    get: (keys) => {
      if (keys === undefined) return { method: "storage.get", params: { keys: null }, answer: ({ items }) => items };
      if (typeof keys === "string" || this.#isArray(keys)) return lookUp(keysOf("get", keys));
      return lookUpWithDefaults(defaultsOf(keys, atMost(ARRAYS_ASKED, this.#isArray)));
    },
    getKeys: () => ({ method: "storage.getKeys", params: {}, answer: ({ keys }) => keys }),
    set: (items) => {
      const found = itemsOf(items, atMost(ARRAYS_ASKED, this.#isArray));
      // In its turn, not at once: a call's failure comes after the results of those before it.
      if (!found) return fence(() => fail("Cannot serialize value to JSON"));
      const params = { items: fromEntries([...found.keys()], [...found.values()]) };
      return { method: "storage.set", params: this.#quotaBytes ? { ...params, quotaBytes: this.#quotaBytes } : params };
    },
    remove: (keys) => ({ method: "storage.remove", params: { keys: keysOf("remove", keys) } }),
    clear: () => ({ method: "storage.clear", params: {} }),
    getBytesInUse: (keys) => {
      const params = { keys: keys === undefined ? null : keysOf("getBytesInUse", keys) };
      return { method: "storage.getBytesInUse", params, answer: ({ bytes }) => bytes };
    },
    setAccessLevel: (options) => {
      // Only the extension's own contexts reach this area, so both levels are the same here.
      checkAccessLevel(options);
      return fence();
    },
  };
}

/**
 * @param {string[]} keys
 * @returns {Call}
 */
function lookUp(keys) {
  return { method: "storage.get", params: { keys }, answer: ({ items }) => items };
}

/**
 * Merged here and not in the host, because a default may be binary.
 * @param {Map<string, any>} defaults
 * @returns {Call}
 */
function lookUpWithDefaults(defaults) {
  const keys = [...defaults.keys()];
  /** @param {{items: Record<string, any>}} result */
  const answer = ({ items }) =>
    fromEntries(keys, keys.map((key) => (Object.hasOwn(items, key) ? mergeDefaults(defaults.get(key), items[key]) : defaults.get(key))));
  return { method: "storage.get", params: { keys }, answer };
}

/**
 * @param {number} times
 * @param {(value: unknown) => boolean} isArray
 * @returns {(value: unknown) => boolean}
 */
function atMost(times, isArray) {
  let left = times;
  return (value) => {
    if (left <= 0) return Array.isArray(value);
    const told = isArray(value);
    if (told) left -= 1;
    return told;
  };
}

/**
 * A request that reads and changes nothing, for what has to wait for its turn.
 * @param {() => any} [answer]
 * @returns {Call}
 */
function fence(answer) {
  return { method: "storage.get", params: { keys: [] }, answer };
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function refuse(error) {
  const quota = error instanceof HostError && error.kind === "quota_exceeded";
  return fail(quota ? "Resource::kQuotaBytes quota exceeded" : error instanceof Error ? error.message : String(error), error);
}

/**
 * @param {string} message
 * @param {unknown} [cause]
 * @returns {never}
 */
function fail(message, cause) {
  throw new Error(message, { cause });
}
