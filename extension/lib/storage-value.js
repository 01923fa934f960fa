/**
 * Values as `chrome.storage` keeps them: neither JSON.stringify's rules nor structured clone's. This is the one place where a value is
 * converted; what comes out survives every JSON port unchanged. Measured in Chromium 156.
 */
/// <reference lib="es2024.string" />

/** Containers nest this deep; what lies deeper is dropped without a word. The value of a key is at depth 1. */
export const MAX_DEPTH = 100;

/** Global classes that name themselves as the browser's do, and are the language's. */
const LANGUAGE_CLASSES = new Set(["Map", "Set", "WeakMap", "WeakSet", "WeakRef", "Promise", "SharedArrayBuffer", "Iterator", "FinalizationRegistry", "Symbol", "BigInt"]);

/**
 * @typedef {object} Conversion
 * @property {(value: unknown) => boolean} isArray whether the browser takes a value for an array: not a Proxy of one
 * @property {(bytes: Uint8Array) => unknown} binary what an ArrayBuffer, or a view of one, becomes
 */

/**
 * The stored form of a value: fresh objects, keys in order of their UTF-8 bytes at every depth, well-formed strings.
 * @param {unknown} value
 * @param {Conversion} how
 * @returns {any} undefined where the value has no stored form: its key is then left alone
 */
export function toStored(value, how) {
  return convert(value, 1, new Set(), how);
}

/**
 * What `get({key: default})` gives: objects merge at every depth, anything else that is stored replaces its default.
 * @param {any} standard a default in stored form
 * @param {any} stored
 * @returns {any}
 */
export function mergeDefaults(standard, stored) {
  if (!isRecord(standard) || !isRecord(stored)) return stored;
  const names = [...new Set([...Object.keys(standard), ...Object.keys(stored)])];
  const merged = names.map((name) => {
    if (!Object.hasOwn(stored, name)) return standard[name];
    return Object.hasOwn(standard, name) ? mergeDefaults(standard[name], stored[name]) : stored[name];
  });
  return fromEntries(names, merged);
}

/**
 * Another object with the same JSON value. Strings are shared, so that megabytes of pixels are not copied.
 * @param {any} value
 * @returns {any}
 */
export function copyOf(value) {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isRecord(value)) return value;
  /** @type {Record<string, any>} */
  const copy = {};
  for (const name of Object.keys(value)) put(copy, name, copyOf(value[name]));
  return copy;
}

/**
 * An object of these names and values, sorted; of equal names the last one counts.
 * @param {string[]} names
 * @param {any[]} values
 * @returns {Record<string, any>}
 */
export function fromEntries(names, values) {
  /** @type {Record<string, any>} */
  const made = {};
  if (isSorted(names)) names.forEach((name, at) => put(made, name, values[at]));
  else {
    const order = names.map((_, at) => at).sort((a, b) => byUtf8(/** @type {string} */ (names[a]), /** @type {string} */ (names[b])));
    for (const at of order) put(made, /** @type {string} */ (names[at]), values[at]);
  }
  return made;
}

/**
 * @param {any} value
 * @param {number} depth
 * @param {Set<object>} path the containers around it: what is met again on its own path is a cycle
 * @param {Conversion} how
 * @returns {any}
 */
function convert(value, depth, path, how) {
  if (depth > MAX_DEPTH) return undefined;
  switch (typeof value) {
    case "string":
      return value.toWellFormed();
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value + 0 : undefined; // -0 + 0 is 0
    case "object":
      return value === null ? null : convertObject(value, depth, path, how);
    default:
      return undefined;
  }
}

/**
 * @param {any} value
 * @param {number} depth
 * @param {Set<object>} path
 * @param {Conversion} how
 */
function convertObject(value, depth, path, how) {
  const bytes = bytesOf(value);
  if (bytes) return how.binary(bytes);
  if (path.has(value)) return null;
  path.add(value);
  try {
    return how.isArray(value) ? convertArray(value, depth, path, how) : convertRecord(value, depth, path, how);
  } finally {
    path.delete(value);
  }
}

/**
 * Holes, and items without a stored form, become null.
 * @param {any[]} value
 * @param {number} depth
 * @param {Set<object>} path
 * @param {Conversion} how
 */
function convertArray(value, depth, path, how) {
  const made = [];
  for (let at = 0; at < value.length; at += 1) {
    // An item of the prototype is not the array's own: a hole is a hole.
    made.push(Object.hasOwn(value, at) ? (convert(read(value, at), depth + 1, path, how) ?? null) : null);
  }
  return made;
}

/**
 * Own enumerable properties, whatever class the object is of; `toJSON` is a function like any other.
 * @param {any} value
 * @param {number} depth
 * @param {Set<object>} path
 * @param {Conversion} how
 */
function convertRecord(value, depth, path, how) {
  const names = [];
  const values = [];
  for (const key of namesOf(value)) {
    const converted = convert(read(value, key), depth + 1, path, how);
    if (converted === undefined) continue;
    names.push(key.toWellFormed());
    values.push(converted);
  }
  return fromEntries(names, values);
}

/** @param {object} value */
function namesOf(value) {
  try {
    return isPlatformObject(value) ? [] : Object.keys(value);
  } catch {
    return []; // a Proxy that refuses, or a revoked one
  }
}

/**
 * Whether it is of one of the browser's own classes (URL, Blob, ImageData): these are empty, even where a script has added to them.
 * @param {object} value
 */
function isPlatformObject(value) {
  for (let proto = Object.getPrototypeOf(value); proto && proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) {
    const name = Object.getOwnPropertyDescriptor(proto, Symbol.toStringTag)?.value;
    // Only the real class counts, not another of its name.
    if (name && !LANGUAGE_CLASSES.has(name) && /** @type {any} */ (globalThis)[name]?.prototype === proto) return true;
  }
  return false;
}

/**
 * @param {any} container
 * @param {string | number} key
 */
function read(container, key) {
  try {
    return container[key];
  } catch {
    return null; // a getter that throws
  }
}

/**
 * @param {object} value
 * @returns {Uint8Array | null} the bytes of an ArrayBuffer or a view; a SharedArrayBuffer counts as an object without properties
 */
function bytesOf(value) {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  try {
    return value instanceof ArrayBuffer ? new Uint8Array(ArrayBuffer.prototype.slice.call(value, 0)) : null;
  } catch {
    return null; // a Proxy of one, or only its prototype
  }
}

/** @param {any} value */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ArrayBuffer);
}

/**
 * @param {Record<string, any>} target
 * @param {string} name
 * @param {any} value
 */
function put(target, name, value) {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

/** @param {string[]} names */
function isSorted(names) {
  return names.every((name, at) => at === 0 || byUtf8(/** @type {string} */ (names[at - 1]), name) < 0);
}

/**
 * The order of UTF-8 bytes, which is that of code points and not of UTF-16: U+FFEE comes before an emoji.
 * @param {string} left
 * @param {string} right
 */
export function byUtf8(left, right) {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** @param {number} unit surrogates stand for code points above all others */
function rank(unit) {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
