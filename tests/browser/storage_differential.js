// Evaluated in the service worker: makes random sequences of calls, does each on chrome.storage.local and on Sidekeep's area, and compares
// all that a caller can see. `Differential.run(seed, from, count)` -> the differences, as texts; none is what is wanted.
globalThis.Differential = (() => {
  const CALLS = 12;
  const KEYS = ["a", "b", "c", "Z", "10", "9", "", "é", "😀", "\uffee", "a.b", "__proto__", "constructor", "toString", "n\0x", "n", "\ud800k", "<k>"];
  const OWN_KEYS = ["history", "activeSessionId", "savedSessions", "session_1", "session_2", "providers", "theme"];
  const TEXTS = ["", "x", "text", "<b>&\"\\/", "\u2028\u2029", "é中😀", "\0\x01\x1f\x7f", "\ud800z", "z\udc00", "\uffff\ufdd0", "0", "null"];
  const NUMBERS = [0, -0, 1, -1, 1.5, 0.1, 1 / 3, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53, 1e12, 999999999999, 1e-6, 1e-7, 1e21, 5e-324, 1732970000123, 1732970000123.5, 1.7976931348623157e308];
  // Not here: a Proxy whose trap throws. The browser lets the trap's own error out of some calls and not of others.
  const ODD = [
    () => undefined, () => NaN, () => Infinity, () => () => 1, () => class K {}, () => Symbol("s"), () => 10n, () => new Date(0), () => new Date(NaN), () => /r/g,
    () => new Map([[1, 2]]), () => new Set([1]), () => new Error("e"), () => Object.assign(new Error("e"), { code: 7 }), () => new String("hi"), () => new Number(4),
    () => new Boolean(false), () => Object(1n), () => new URL("https://a.b/c"), () => new Blob(["x"]), () => Promise.resolve(1), () => new WeakMap(),
    () => new ImageData(1, 1), () => Object.assign(new URL("https://a.b/c"), { more: 1 }), () => Object.assign(new Map(), { more: 1 }), () => Object.assign(Promise.resolve(1), { more: 1 }),
    () => new DOMException("d"), () => Object.assign(new Intl.Collator(), { more: 1 }), () => Object.assign(new (class Sub extends EventTarget {})(), { more: 1 }), () => new SharedArrayBuffer(2),
    () => Object.assign(new WeakRef({}), { more: 1 }), () => Object.assign(Object(Symbol("s")), { more: 1 }), () => Object.assign([1].values(), { more: 1 }), () => Object.assign((function* () {})(), { more: 1 }),
    () => ({ toJSON: () => 1, x: 2 }), () => Object.assign(Object.create({ inherited: 1 }), { own: 2 }), () => Object.create(null, { hidden: { value: 1 }, shown: { value: 2, enumerable: true } }),
    () => ({ [Symbol("k")]: 1, y: 3 }), () => ({ get thrown() { throw new Error("no"); }, after: 1 }), () => ({ get got() { return [1]; } }), () => [1, , 3], () => Object.assign([1, 2], { extra: 3 }),
    () => new (class L extends Array {})(1, 2), () => (function () { return arguments; })(1, "two"), () => new Proxy({ p: 1 }, {}), () => new Proxy([1, "q"], {}),
    () => Object.freeze([Object.freeze({ f: 1 })]), () => globalThis.performance, () => new (class { #own = 1; shown = 2; })(),
  ];
  const BINARY = [() => new Uint8Array([1, 2]), () => new ArrayBuffer(3), () => new DataView(new ArrayBuffer(4), 1, 2), () => new Float64Array(1)];

  // mulberry32: small, seeded, the same on both sides.
  function random(seed) {
    let state = seed >>> 0;
    const next = () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
    const below = (n) => Math.floor(next() * n);
    return { chance: (p) => next() < p, below, pick: (list) => list[below(list.length)] };
  }

  const key = (r) => r.pick(r.chance(0.25) ? OWN_KEYS : KEYS);
  const keys = (r) => Array.from({ length: r.below(4) }, () => key(r));

  function value(r, depth = 0) {
    if (r.chance(0.12)) return r.pick(ODD)();
    if (r.chance(0.01)) return r.pick(BINARY)();
    if (r.chance(0.01)) return nested(90 + r.below(15), r.chance(0.5));
    if (r.chance(0.004)) return r.pick(["x", "é", "<😀"]).repeat(100_000 + r.below(100_000));
    const kind = r.below(depth > 3 ? 5 : 9);
    if (kind === 0) return r.pick([null, true, false]);
    if (kind < 3) return r.pick(NUMBERS);
    if (kind < 5) return r.pick(TEXTS);
    if (kind < 7) return Array.from({ length: r.below(4) }, () => value(r, depth + 1));
    return record(r, depth);
  }

  function record(r, depth) {
    const made = {};
    for (const name of keys(r)) Object.defineProperty(made, name, { value: value(r, depth + 1), writable: true, enumerable: true, configurable: true });
    if (r.chance(0.05)) made.self = made;
    if (r.chance(0.05)) made.b = made.a;
    return made;
  }

  function nested(depth, inArrays) {
    let made = inArrays ? [] : {};
    for (let at = 1; at < depth; at += 1) made = inArrays ? [made] : { d: made, leaf: 1 };
    return made;
  }

  const messages = (r) =>
    Array.from({ length: r.below(4) }, (_, at) => ({
      role: r.pick(["user", "assistant"]),
      content: r.chance(0.5) ? r.pick(TEXTS) : [{ type: "text", text: r.pick(TEXTS) }],
      ...(r.chance(0.5) && { id: `m${at}` }),
      ...(r.chance(0.3) && { createdAt: r.pick(NUMBERS) }),
      ...(r.chance(0.2) && { extra: value(r, 3) }),
    }));

  const index = (r) =>
    ["1", "2", "9"].slice(r.below(3)).map((id) => ({
      id,
      name: r.pick(TEXTS),
      createdAt: 1732970000123,
      ...(r.chance(0.5) && { pinned: r.chance(0.5) }),
      ...(r.chance(0.5) && { textDigest: "digest" }),
      ...(r.chance(0.2) && { messageCount: r.pick(NUMBERS) }),
    }));

  // What Sidekeep itself keeps there, and takes apart into rows: it must come back as it was set.
  const OWN_SHAPES = new Map(Object.entries({ history: messages, session_1: messages, session_2: messages, savedSessions: index }));

  function items(r) {
    const made = r.chance(0.05) ? Object.create(null) : {};
    for (const name of keys(r)) {
      const usual = OWN_SHAPES.get(name);
      const filling = usual && r.chance(0.7) ? usual(r) : value(r);
      Object.defineProperty(made, name, { value: filling, writable: true, enumerable: true, configurable: true });
    }
    if (r.chance(0.02)) Object.defineProperty(made, "thrown", { get() { throw new Error("no"); }, enumerable: true });
    return made;
  }

  const badKeys = (r) => r.pick([0, 1n, true, Symbol.iterator, ["a", 1], [["a"]], [, "a"], new Proxy(["a"], {}), [new String("a")], new Date(0), new Uint8Array([7]), new String("ab")]);
  const extra = (r) => (r.chance(0.9) ? [] : r.pick([[undefined], [null], [1], [{}], [undefined, undefined], ["x"]]));

  function call(r) {
    const method = r.pick(["get", "get", "get", "set", "set", "set", "set", "set", "remove", "remove", "getKeys", "getBytesInUse", "getBytesInUse", "clear", "setAccessLevel"]);
    if (method === "set") return [method, r.chance(0.04) ? r.pick([[], [1], ["x"], [[]], [null], [() => 1], [new Date(0)]]) : [items(r), ...extra(r)]];
    if (method === "setAccessLevel") {
      const level = () => r.pick(["TRUSTED_AND_UNTRUSTED_CONTEXTS", "TRUSTED_AND_UNTRUSTED_CONTEXTS", "NOPE", "", 1, 1.5, null, undefined, [], {}, true]);
      return [method, r.pick([[{ accessLevel: level() }], [{ accessLevel: level(), more: 1 }], [{}], [[]], ["x"], [], [new Map()]])];
    }
    if (method === "getKeys" || method === "clear") return [method, r.chance(0.8) ? [] : r.pick([[null], [undefined], ["a"], [[]], [1]])];
    const asked = r.chance(0.1) ? badKeys(r) : r.chance(0.4) ? key(r) : keys(r);
    if (method === "get" && r.chance(0.4)) return [method, [r.chance(0.2) ? null : items(r), ...extra(r)]];
    if (r.chance(0.08)) return [method, r.pick([[], [null], [undefined], [{}], [() => {}, "a"]])];
    return [method, [asked, ...extra(r)]];
  }

  function encode(v, path = []) {
    if (v === null || typeof v === "boolean") return String(v);
    if (typeof v === "string") return v.length > 200 ? `text(${v.length},${[...v].reduce((h, c) => (Math.imul(h, 31) + c.codePointAt(0)) | 0, 7)})` : JSON.stringify(v);
    if (typeof v === "number") return Object.is(v, -0) ? "-0" : String(v);
    if (typeof v !== "object") return `${typeof v}`;
    if (path.includes(v)) return "cycle";
    const inner = [...path, v];
    if (v instanceof ArrayBuffer) return `buffer(${new Uint8Array(v)})`;
    if (Array.isArray(v)) return `[${Array.from(v, (item, at) => (at in v ? encode(item, inner) : "hole")).join()}]`;
    const name = Object.getPrototypeOf(v) === Object.prototype ? "" : "other";
    return `${name}{${Object.keys(v).map((k) => `${JSON.stringify(k)}:${encode(v[k], inner)}`).join()}}`;
  }
  const error = (e) => `${e?.constructor?.name}:${e?.name}: ${e?.message}`;

  // Everything that one call shows, in a log: what it threw or returned, what it settled with.
  function perform(area, seed, at, log) {
    const r = random(seed);
    const [method, args] = call(r);
    const note = (text) => log.push({ at, text: `${method} ${text}` });
    let settled = Promise.resolve();
    const usesCallback = r.chance(0.25);
    if (usesCallback) {
      settled = new Promise((resolve) => {
        args.push((...values) => {
          const failed = chrome.runtime.lastError;
          note(`called back with ${values.map((v) => encode(v))} ${failed ? failed.message : ""}`);
          resolve();
        });
      });
    }
    try {
      const returned = r.chance(0.02) ? (0, area[method])(...args) : area[method](...args);
      if (returned instanceof Promise) settled = returned.then((v) => note(`resolved ${encode(v)}`), (e) => note(`rejected ${error(e)}`));
      else note(`returned ${encode(returned)}`);
    } catch (e) {
      note(`threw ${error(e)}`);
      settled = Promise.resolve();
    }
    if (args[0] && typeof args[0] === "object" && r.chance(0.2)) mutate(args[0]); // the call has its own copy by now
    return settled;
  }

  function mutate(arg) {
    try {
      if (Array.isArray(arg)) arg.push("late");
      else arg.late = "late";
    } catch {
      // frozen
    }
  }

  async function sequence(storage, seed) {
    const area = storage.local;
    await area.clear();
    const log = [];
    const onArea = (...told) => log.push({ at: -1, text: `area event ${told.map((v) => encode(v))}` });
    const onAny = (changes, name, ...more) => name === "local" && log.push({ at: -1, text: `storage event ${encode(changes)} ${more.length}` });
    const r = random(seed);
    area.onChanged.addListener(onArea);
    storage.onChanged.addListener(onAny);
    const lines = [];
    let waiting = [];
    for (let at = 0; at < CALLS; at += 1) {
      waiting.push(perform(area, seed * 31 + at, at, log));
      if (at < CALLS - 1 && r.chance(0.3)) continue; // the next call does not wait for this one
      await Promise.all(waiting);
      lines.push(...told(log.splice(0), waiting.length));
      waiting = [];
    }
    area.onChanged.removeListener(onArea);
    storage.onChanged.removeListener(onAny);
    return [...lines, `left ${encode(await area.get(null))} ${await area.getBytesInUse(null)} ${await area.getKeys()}`];
  }

  // One call alone: the order of its event and its result counts. Of calls under way together, the browser answers some that need not
  // look anything up (get([]), set({})) out of turn, as it happens: there the events' order counts, and what each call came to.
  function told(log, calls) {
    const inOrder = calls === 1 ? log : [...log.filter(({ at }) => at < 0), ...log.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)];
    return inOrder.map(({ at, text }) => (at < 0 ? text : `${at} ${text}`));
  }

  const shorten = (line) => (line === undefined ? "(nothing)" : line.length > 600 ? `${line.slice(0, 600)}…` : line);

  async function run(seed, from, count) {
    await self.sidekeep.storage.local.getKeys(); // the first connection writes the profile's id into the browser's storage
    const differences = [];
    for (let at = from; at < from + count; at += 1) {
      const own = Math.imul(seed, 1_000_003) + at * 7919;
      const [theirs, ours] = await Promise.all([sequence(chrome.storage, own), sequence(self.sidekeep.storage, own)]);
      const line = Array.from({ length: Math.max(theirs.length, ours.length) }, (_, n) => n).find((n) => theirs[n] !== ours[n]);
      if (line === undefined) continue;
      differences.push(`sequence ${at}, line ${line}\n  browser: ${shorten(theirs[line])}\n  area:    ${shorten(ours[line])}\n  before:  ${theirs.slice(Math.max(0, line - 2), line).map(shorten)}`);
    }
    await Promise.all([chrome.storage.local.clear(), self.sidekeep.storage.local.clear()]);
    return differences;
  }
  return { run };
})();
