/**
 * The arguments of a storage area's methods, matched as the browser matches them: bad ones throw a TypeError at once, with the
 * browser's own words. Everything is read here and now, so that what a caller does to an argument later has no effect.
 */
/// <reference lib="es2024.string" />

import { toStored } from "./storage-value.js";

/** @import { Conversion } from "./storage-value.js" */

/** @typedef {"string" | "array" | "object" | "function"} Type */
/** @typedef {{name: string, types: Type[], optional: boolean}} Parameter */

/** @type {Parameter} */
const CALLBACK = { name: "callback", types: ["function"], optional: true };

/** @type {Record<string, Parameter[]>} */
const SIGNATURES = {
  get: [{ name: "keys", types: ["string", "array", "object"], optional: true }, CALLBACK],
  getKeys: [CALLBACK],
  set: [{ name: "items", types: ["object"], optional: false }, CALLBACK],
  remove: [{ name: "keys", types: ["string", "array"], optional: false }, CALLBACK],
  clear: [CALLBACK],
  getBytesInUse: [{ name: "keys", types: ["string", "array"], optional: true }, CALLBACK],
  setAccessLevel: [{ name: "accessOptions", types: ["object"], optional: false }, CALLBACK],
};

export const ACCESS_LEVELS = ["TRUSTED_AND_UNTRUSTED_CONTEXTS", "TRUSTED_CONTEXTS"];

const MISSING_LEVEL = "Missing required property 'accessLevel'.";
const NO_CHOICE = "Error at parameter 'keys': Value did not match any choice.";

/**
 * The arguments by parameter, undefined where one is absent.
 * @param {string} method
 * @param {unknown[]} args
 * @param {Conversion["isArray"]} isArray
 * @returns {{value: any, callback: ((...values: any[]) => void) | undefined}}
 * @throws {TypeError}
 */
export function match(method, args, isArray) {
  const parameters = SIGNATURES[method] ?? [];
  const matched = resolve(parameters, args, isArray);
  if (!matched) throw invalid(method, "No matching signature.");
  return { value: parameters.length > 1 ? matched[0] : undefined, callback: matched.at(-1) };
}

/**
 * The keys that a string or an array names. One with a lone surrogate is left out: no stored key has any.
 * @param {string} method
 * @param {string | unknown[]} value
 * @returns {string[]}
 * @throws {TypeError}
 */
export function keysOf(method, value) {
  const keys = [];
  for (let at = 0, all = typeof value === "string" ? [value] : value; at < all.length; at += 1) {
    const key = readOr(all, at, () => invalid(method, NO_CHOICE));
    if (typeof key !== "string") throw invalid(method, NO_CHOICE);
    if (key.isWellFormed()) keys.push(key);
  }
  return keys;
}

/**
 * The properties of `items`, in stored form. One without a stored form is left out: what its key holds stays.
 * @param {object} items
 * @param {Conversion["isArray"]} isArray
 * @returns {Map<string, any> | null} null where a value has binary data in it: nothing of it can be stored then
 * @throws {TypeError}
 */
export function itemsOf(items, isArray) {
  /** @type {Set<string>} */
  const binary = new Set();
  const found = converted(items, () => invalid("set", "Error at parameter 'items': Script threw an error."), (key, value) => {
    let has = false;
    const stored = toStored(value, { isArray, binary: () => ((has = true), null) });
    if (has) binary.add(key);
    else if (stored !== undefined) binary.delete(key); // two names can be one key
    return stored;
  });
  return binary.size > 0 ? null : found;
}

/**
 * The properties of an object of defaults, in stored form. A default without a stored form asks for nothing; a binary one is a copy.
 * @param {object} defaults
 * @param {Conversion["isArray"]} isArray
 * @returns {Map<string, any>}
 * @throws {TypeError}
 */
export function defaultsOf(defaults, isArray) {
  /** @type {Conversion} */
  const how = { isArray, binary: (bytes) => bytes.slice().buffer };
  return converted(defaults, () => invalid("get", NO_CHOICE), (_key, value) => toStored(value, how));
}

/**
 * @param {object} options
 * @throws {TypeError} unless it is {accessLevel} with a level that there is
 */
export function checkAccessLevel(options) {
  /** @param {string} why */
  const fail = (why) => invalid("setAccessLevel", `Error at parameter 'accessOptions': ${why}`);
  let found = false;
  for (const name of orElse(() => Object.keys(options), () => fail("Script threw an error."))) {
    if (name !== "accessLevel") throw fail(`Unexpected property: '${name}'.`);
    const level = readOr(options, name, () => fail("Script threw an error."));
    const problem = levelProblem(level);
    if (problem) throw fail(problem);
    found = true;
  }
  if (!found) throw fail(MISSING_LEVEL);
}

/** @param {unknown} level */
function levelProblem(level) {
  if (level === undefined || level === null) return MISSING_LEVEL;
  if (typeof level !== "string") return `Error at property 'accessLevel': Invalid type: expected storage.AccessLevel, found ${typeName(level)}.`;
  return ACCESS_LEVELS.includes(level) ? "" : `Error at property 'accessLevel': Value must be one of ${ACCESS_LEVELS.join(", ")}.`;
}

/**
 * Arguments to parameters from left to right; an optional one may be skipped.
 * @param {Parameter[]} parameters
 * @param {unknown[]} args
 * @param {Conversion["isArray"]} isArray
 * @returns {any[] | null}
 */
function resolve([parameter, ...others], args, isArray) {
  if (!parameter) return args.length === 0 ? [] : null;
  const [arg, ...rest] = args;
  const absent = arg === undefined || arg === null;
  if (!absent && parameter.types.some((type) => isOfType(arg, type, isArray))) {
    const matched = resolve(others, rest, isArray);
    if (matched) return [arg, ...matched];
  }
  if (!parameter.optional) return null;
  const matched = resolve(others, absent ? rest : args, isArray);
  return matched && [undefined, ...matched];
}

/**
 * @param {unknown} value
 * @param {Type} type
 * @param {Conversion["isArray"]} isArray
 */
function isOfType(value, type, isArray) {
  if (type === "array") return isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !isArray(value);
  return typeof value === type;
}

/**
 * @param {object} source
 * @param {() => Error} onThrow
 * @param {(key: string, value: unknown) => any} convert
 */
function converted(source, onThrow, convert) {
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const name of orElse(() => Object.keys(source), onThrow)) {
    const key = storedKey(name);
    const stored = convert(key, readOr(source, name, onThrow));
    if (stored !== undefined) found.set(key, stored);
  }
  return found;
}

/**
 * A property's name as a key: the browser ends it at a NUL.
 * @param {string} key
 */
function storedKey(key) {
  const end = key.indexOf("\0");
  return (end === -1 ? key : key.slice(0, end)).toWellFormed();
}

/**
 * @param {any} container
 * @param {string | number} key
 * @param {() => Error} onThrow
 */
function readOr(container, key, onThrow) {
  return orElse(() => container[key], onThrow);
}

/**
 * @template Read
 * @param {() => Read} read runs a caller's getters and traps
 * @param {() => Error} onThrow
 */
function orElse(read, onThrow) {
  try {
    return read();
  } catch {
    throw onThrow();
  }
}

/** @param {unknown} value */
function typeName(value) {
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/**
 * @param {string} method
 * @param {string} why
 */
function invalid(method, why) {
  const signature = (SIGNATURES[method] ?? []).map(({ name, types, optional }) => {
    const type = types.length > 1 ? `[${types.join("|")}]` : types[0];
    return `${optional ? "optional " : ""}${type} ${name}`;
  });
  return new TypeError(`Error in invocation of storage.${method}(${signature.join(", ")}): ${why}`);
}
