/**
 * The storage area on the browser's own storage, for a profile that has no host yet: answers the wire's `storage.*` as the host would, less
 * the keys of model servers, which need the host. What lies here is adopted by the first host that appears.
 */

import { ESCAPE, fromBrowser, itemsFromBrowser, itemsToBrowser, toBrowser } from "./fallback-keys.js";
import { asHostError, HostError } from "./host-errors.js";
import { withoutApiKeys } from "./provider-keys.js";
import { sameValue } from "./same-value.js";
import { DEFAULTS, GET_ALL_KEYS, OPTIONS_DEFAULTS } from "./settings-keys.js";
import { byUtf8 } from "./storage-value.js";
import { isSpared } from "./value-watch.js";

/** @import { BrowserArea } from "./types.js" */

/**
 * @typedef {object} FallbackOptions
 * @property {() => BrowserArea} area the browser's; in a private window the one in memory
 * @property {(method: string, params: any) => void} announce takes `storage.onChanged` as the host sends it
 * @property {() => boolean} wantsValues whether anybody hears the values of large keys
 */

export class FallbackArea {
  /** @type {Promise<unknown>} calls follow each other, as they do in the browser */
  #last = Promise.resolve();
  #listening = false;

  /** @param {FallbackOptions} options */
  constructor(options) {
    this.options = options;
  }

  /** @param {string} method */
  answers(method) {
    return Object.hasOwn(this.#methods, method);
  }

  /**
   * @param {string} method one of `storage.*`
   * @param {any} params
   * @returns {Promise<any>}
   * @throws {HostError} quota_exceeded, storage_failed
   */
  request(method, params) {
    this.#listen();
    return this.#next(async () => this.#methods[method]?.(params));
  }

  /** Every key of the area and its value. Calls before this one have been done. */
  snapshot() {
    return this.#next(async () => itemsFromBrowser(await this.#area.get(null)));
  }

  /**
   * Remove keys whose values are still those; a key that has changed meanwhile stays.
   * @param {Record<string, any>} items
   * @returns {Promise<string[]>} the keys that stay
   */
  removeUnchanged(items) {
    return this.#next(async () => {
      const now = itemsFromBrowser(await this.#area.get(Object.keys(items).map(toBrowser)));
      const same = Object.keys(items).filter((key) => Object.hasOwn(now, key) && sameValue(now[key], items[key]));
      await this.#area.remove(same.map(toBrowser)); // in one call: there all are, or none
      return Object.keys(now).filter((key) => !same.includes(key));
    });
  }

  /** Announce nothing from now on: what happens to the browser's copy is no change of the area any more. */
  stop() {
    if (this.#listening) this.#area.onChanged.removeListener(this.#changed);
    this.#listening = false;
  }

  get #area() {
    return this.options.area();
  }

  /** Only while it is in use: the event of a drafted letter would start the worker. */
  #listen() {
    if (!this.#listening) this.#area.onChanged.addListener(this.#changed);
    this.#listening = true;
  }

  /**
   * @template Result
   * @param {() => Promise<Result>} run
   * @returns {Promise<Result>}
   */
  #next(run) {
    const done = this.#last.then(run).catch((error) => {
      throw asStorageError(error);
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** @type {Record<string, (params: any) => Promise<any>>} */
  #methods = {
    "storage.get": async ({ keys }) => ({ items: itemsFromBrowser(await this.#area.get(named(keys))) }),
    "storage.getAll": async () => {
      const items = { ...DEFAULTS, ...OPTIONS_DEFAULTS, ...itemsFromBrowser(await this.#area.get([...GET_ALL_KEYS])) };
      const { history: _heavy, ...light } = items;
      return { items: { ...light, providers: withoutRemoved(light.providers) } };
    },
    "storage.set": async ({ items }) => {
      const kept = Object.hasOwn(items, "providers") ? { ...items, providers: withoutApiKeys(items.providers) } : items;
      await this.#area.set(itemsToBrowser(kept));
      return {};
    },
    "storage.remove": async ({ keys }) => {
      await this.#area.remove(listed(keys).map(toBrowser));
      return {};
    },
    "storage.clear": async () => {
      await this.#area.remove((await this.#keys()).map(toBrowser)); // not clear(): Sidekeep's own lie beside it
      return {};
    },
    "storage.getKeys": async () => ({ keys: await this.#keys() }),
    "storage.getBytesInUse": async ({ keys }) => ({ bytes: await this.#bytes(keys === null ? await this.#keys() : listed(keys)) }),
  };

  async #keys() {
    // Browsers before 130 have no getKeys.
    const names = this.#area.getKeys ? await this.#area.getKeys() : Object.keys(await this.#area.get(null));
    return names.map(fromBrowser).filter((key) => key !== null).sort(byUtf8);
  }

  /** @param {string[]} keys */
  async #bytes(keys) {
    const renamed = keys.map(toBrowser).filter((name) => name.startsWith(ESCAPE));
    const there = renamed.length === 0 ? {} : await this.#area.get(renamed);
    const bytes = await this.#area.getBytesInUse(keys.map(toBrowser));
    return bytes - ESCAPE.length * renamed.filter((name) => Object.hasOwn(there, name)).length;
  }

  /** @param {Record<string, any>} changes */
  #changed = (changes) => {
    const told = itemsFromBrowser(changes);
    if (Object.keys(told).length === 0) return;
    const values = this.options.wantsValues();
    for (const key of Object.keys(told)) if (isSpared(key) && !values) told[key] = { stale: true };
    this.options.announce("storage.onChanged", { changes: told, areaName: "local" });
  };
}

/** @param {null | string | string[] | Record<string, any>} keys */
function named(keys) {
  if (keys === null) return null;
  return typeof keys === "string" || Array.isArray(keys) ? listed(keys).map(toBrowser) : itemsToBrowser(keys);
}

/** @param {string | string[]} keys */
function listed(keys) {
  return typeof keys === "string" ? [keys] : keys;
}

/**
 * As getAll lists them; the built-in ones are known to the host alone.
 * @param {any} stored
 */
function withoutRemoved(stored) {
  const there = Object.entries(stored ?? {}).filter(([, fields]) => typeof fields === "object" && fields !== null);
  return Object.fromEntries(there.map(([name, fields]) => [name, { ...fields, name, keySet: false }]));
}

/** @param {unknown} error */
function asStorageError(error) {
  if (error instanceof HostError) return error;
  const { message } = asHostError(error);
  return new HostError(/quota/i.test(message) ? "quota_exceeded" : "storage_failed", message);
}
