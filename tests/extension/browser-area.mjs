/** A browser's own storage area, as far as Sidekeep uses it, with what was recorded of it: order, events before results, all keys or none. */

import { fromEntries } from "../../extension/lib/storage-value.js";
import { sameValue } from "../../extension/lib/same-value.js";

/** @import { BrowserArea } from "../../extension/lib/types.js" */

/** @implements {BrowserArea} */
export class FakeBrowserArea {
  /** @type {Map<string, any>} */
  data = new Map();
  /** @type {Set<(changes: Record<string, any>) => void>} */
  #listeners = new Set();
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();
  onChanged = {
    addListener: (/** @type {(changes: Record<string, any>) => void} */ listener) => void this.#listeners.add(listener),
    removeListener: (/** @type {(changes: Record<string, any>) => void} */ listener) => void this.#listeners.delete(listener),
  };

  /** @param {Record<string, any>} [items] */
  constructor(items = {}) {
    for (const [key, value] of Object.entries(items)) this.data.set(key, structuredClone(value));
  }

  get listeners() {
    return this.#listeners.size;
  }

  /** Everything, as it lies there. */
  get items() {
    return Object.fromEntries(this.data);
  }

  /** @param {null | string | string[] | Record<string, any>} keys */
  get(keys) {
    return this.#next(() => {
      const defaults = keys !== null && typeof keys === "object" && !Array.isArray(keys) ? keys : {};
      const wanted = keys === null ? [...this.data.keys()] : typeof keys === "string" ? [keys] : Array.isArray(keys) ? keys : Object.keys(keys);
      const found = wanted.filter((key) => this.data.has(key) || Object.hasOwn(defaults, key));
      return fromEntries(found, found.map((key) => structuredClone(this.data.has(key) ? this.data.get(key) : defaults[key])));
    });
  }

  getKeys() {
    return this.#next(() => [...this.data.keys()].sort());
  }

  /** @param {Record<string, any>} items */
  set(items) {
    const copy = structuredClone(items);
    return this.#next(() => {
      if (JSON.stringify(copy).length > 10_485_760) throw new Error("Resource::kQuotaBytes quota exceeded");
      this.#change(new Map(Object.entries(copy)));
    });
  }

  /** @param {string | string[]} keys */
  remove(keys) {
    return this.#next(() => this.#change(new Map([keys].flat().map((key) => [key, undefined]))));
  }

  /** @param {string[]} keys */
  getBytesInUse(keys) {
    return this.#next(() => keys.reduce((sum, key) => sum + (this.data.has(key) ? key.length + JSON.stringify(this.data.get(key)).length : 0), 0));
  }

  /** @param {Map<string, any>} wanted undefined removes */
  #change(wanted) {
    /** @type {Record<string, any>} */
    const changes = {};
    for (const [key, value] of wanted) {
      const had = this.data.has(key);
      const old = this.data.get(key);
      if (value === undefined ? !had : had && sameValue(old, value)) continue;
      changes[key] = { ...(value !== undefined && { newValue: value }), ...(had && { oldValue: old }) };
      if (value === undefined) this.data.delete(key);
      else this.data.set(key, value);
    }
    if (Object.keys(changes).length > 0) for (const listener of this.#listeners) listener(structuredClone(changes));
  }

  /**
   * @template Result
   * @param {() => Result} run
   */
  #next(run) {
    const done = this.#last.then(() => new Promise((resolve) => setImmediate(resolve))).then(run);
    this.#last = done.catch(() => {});
    return done;
  }
}
