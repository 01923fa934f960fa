/** The object that callers hold: methods and properties shaped as those of `chrome.storage.local`, promises and callbacks. */

import { withLastError } from "./last-error.js";
import { match } from "./storage-arguments.js";

/** @import { StorageEvent } from "./storage-event.js" */

/** What the browser allows an extension without `unlimitedStorage`; the property is there for all. */
export const QUOTA_BYTES = 10_485_760;

const ILLEGAL = "Illegal invocation: Function must be called on an object of type StorageArea";

/**
 * @typedef {object} AreaParts
 * @property {(method: string, value: any) => Promise<any>} invoke does a method's work; may throw a TypeError at once
 * @property {(value: unknown) => boolean} isArray
 * @property {object} runtime where `lastError` appears while a callback runs
 */

/** @type {WeakMap<object, AreaParts>} by area: methods find their own by the receiver they are called on */
const PARTS = new WeakMap();

class StorageArea {}

// Rest parameters give these the browser's `length` of 0.
/** @type {Record<string, (this: any, ...args: unknown[]) => any>} */
const METHODS = {
  get(...args) {
    return call(this, "get", args);
  },
  getKeys(...args) {
    return call(this, "getKeys", args);
  },
  set(...args) {
    return call(this, "set", args);
  },
  remove(...args) {
    return call(this, "remove", args);
  },
  clear(...args) {
    return call(this, "clear", args);
  },
  getBytesInUse(...args) {
    return call(this, "getBytesInUse", args);
  },
  setAccessLevel(...args) {
    return call(this, "setAccessLevel", args);
  },
};

/**
 * @param {AreaParts} parts
 * @param {StorageEvent} onChanged
 * @returns {any} typed as chrome.storage.StorageArea by whoever hands it out
 */
export function makeArea(parts, onChanged) {
  const area = Object.assign(new StorageArea(), METHODS);
  Object.defineProperty(area, "onChanged", { get: () => onChanged, enumerable: true, configurable: true });
  PARTS.set(area, parts);
  return Object.assign(area, { QUOTA_BYTES });
}

/**
 * @param {any} receiver
 * @param {string} method
 * @param {unknown[]} args
 * @returns {Promise<any> | undefined} undefined where a callback was given
 */
function call(receiver, method, args) {
  const parts = PARTS.get(receiver);
  if (!parts) throw new TypeError(ILLEGAL);
  const { value, callback } = match(method, args, parts.isArray);
  const done = parts.invoke(method, value);
  if (!callback) return done;
  done.then(
    (result) => report(() => (result === undefined ? callback() : callback(result))),
    (error) => report(() => withLastError(parts.runtime, error.message, callback)),
  );
  return undefined;
}

/** @param {() => void} run a caller's own code: what it throws is told, and stops nothing */
function report(run) {
  try {
    run();
  } catch (error) {
    console.error("Error handling response:", error);
  }
}
