import assert from "node:assert/strict";
import test from "node:test";
import { HostError } from "../../extension/lib/host-errors.js";
import { HostStorage } from "../../extension/lib/host-storage.js";
import { isSpared, ValueWatch } from "../../extension/lib/value-watch.js";
import { rejection, settle } from "./fakes.mjs";

/** @param {(method: string, params: any) => any} [answer] */
function setUp(answer = () => ({ items: {} })) {
  /** @type {{method: string, params: any}[]} */
  const asked = [];
  const host = {
    request: async (/** @type {string} */ method, /** @type {any} */ params) => {
      asked.push({ method, params });
      return answer(method, params);
    },
  };
  const runtime = {};
  const area = new HostStorage({ host, runtime });
  return { asked, area, runtime, local: area.storage.local };
}

test("each call is one request", async () => {
  const { asked, local } = setUp();
  await local.set({ b: 1, a: undefined });
  await local.get({ b: { x: 1 }, c: NaN });
  assert.deepEqual(asked, [
    { method: "storage.set", params: { items: { b: 1 } } },
    { method: "storage.get", params: { keys: ["b"] } },
  ]);
});

test("the host is asked for values when the first listener comes, and spared when the last one goes", () => {
  const { asked, area } = setUp();
  const { local, onChanged } = area.storage;
  const listener = () => {};
  local.onChanged.addListener(listener);
  onChanged.addListener(listener);
  local.onChanged.removeListener(listener);
  onChanged.removeListener(listener);
  assert.deepEqual(asked.map(({ method, params }) => [method, params.values]), [["storage.watch", true], ["storage.watch", false]]);
});

test("a key whose value was spared reaches no listener, the others do", () => {
  const { area } = setUp();
  /** @type {any[]} */
  const heard = [];
  area.storage.onChanged.addListener((/** @type {any} */ changes) => heard.push(changes));
  area.hear({ changes: { history: { stale: true } }, areaName: "local" });
  area.hear({ changes: { history: { stale: true }, theme: { newValue: "dark" } }, areaName: "local" });
  assert.deepEqual(heard, [{ theme: { newValue: "dark" } }]);
});

test("a listener may change what it is handed, and the other event's listeners do not see it", () => {
  const { area } = setUp();
  /** @type {any[]} */
  const heard = [];
  area.storage.local.onChanged.addListener((/** @type {any} */ changes) => (changes.a.newValue.x = "changed"));
  area.storage.onChanged.addListener((/** @type {any} */ changes) => heard.push(changes.a.newValue));
  area.hear({ changes: { a: { newValue: { x: "as it was" } } }, areaName: "local" });
  assert.deepEqual(heard, [{ x: "as it was" }]);
});

test("without a host a call is rejected with what is wrong", async () => {
  const { local } = setUp(() => Promise.reject(new HostError("host_missing", "Specified native messaging host not found.")));
  const error = await rejection(local.get("a"));
  assert.equal(error.constructor, Error);
  assert.equal(error.message, "Specified native messaging host not found.");
});

test("a callback finds the error in lastError, and afterwards it is gone", async () => {
  const { local, runtime } = setUp(() => Promise.reject(new HostError("storage_failed", "The disk is full.")));
  /** @type {any[]} */
  const seen = [];
  local.set({ a: 1 }, (/** @type {any[]} */ ...values) => seen.push(values.length, /** @type {any} */ (runtime).lastError?.message));
  await settle();
  assert.deepEqual(seen, [0, "The disk is full."]);
  assert.equal("lastError" in runtime, false);
});

test("a page that wants values and goes leaves the others' wish standing", async () => {
  /** @type {boolean[]} */
  const told = [];
  const host = { open: true, request: async (/** @type {string} */ _method, /** @type {any} */ { values }) => void told.push(values) };
  const watch = new ValueWatch(host);
  const [one, other] = [{}, {}];
  watch.renew();
  await watch.want(one, true);
  await watch.want(other, true);
  await watch.want(one, false);
  assert.deepEqual(told, [false, true], "a new connection sends all, until it is told that nobody listens");
  watch.renew();
  assert.deepEqual(told, [false, true], "and a second one need not be told, while somebody does");
  await watch.want(other, false);
  assert.deepEqual(told, [false, true, false]);
});

test("the index of all chats is spared like the chats: it has their texts, and changes with every message", async () => {
  /** @type {string[][]} */
  const named = [];
  const host = { open: true, request: async (/** @type {string} */ _method, /** @type {any} */ { keys }) => void named.push(keys) };
  new ValueWatch(host).renew();
  await settle();
  assert.deepEqual(named, [["history", "savedSessions", "session_*"]]);
  assert.deepEqual(["history", "savedSessions", "session_1", "theme"].map(isSpared), [true, true, true, false]);
});
