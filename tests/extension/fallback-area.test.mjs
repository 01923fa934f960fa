/** The area on the browser's own storage. That it behaves as the browser's own is tested in the real one (tests/browser/test_adoption.py). */

import assert from "node:assert/strict";
import test from "node:test";
import { FallbackArea } from "../../extension/lib/fallback-area.js";
import { OWN_KEYS } from "../../extension/lib/profile-keys.js";
import { FakeBrowserArea } from "./browser-area.mjs";
import { rejection } from "./fakes.mjs";

const OWN = Object.fromEntries([...OWN_KEYS].map((key) => [key, "Sidekeep's own"]));

/** @param {Record<string, any>} [items] */
function setUp(items = {}) {
  const browser = new FakeBrowserArea({ ...OWN, ...items });
  /** @type {any[]} */
  const events = [];
  const area = new FallbackArea({ area: () => browser, announce: (_method, { changes }) => void events.push(changes), wantsValues: () => true });
  const ask = (/** @type {string} */ method, /** @type {any} */ params = {}) => area.request(`storage.${method}`, params);
  return { browser, area, ask, events };
}

test("what Sidekeep itself keeps there is none of the area's", async () => {
  const { browser, ask, area } = setUp({ theme: "dark" });
  assert.deepEqual(await ask("get", { keys: null }), { items: { theme: "dark" } });
  assert.deepEqual(await ask("getKeys"), { keys: ["theme"] });
  assert.deepEqual(await ask("get", { keys: [...OWN_KEYS] }), { items: {} });
  assert.deepEqual(await ask("getBytesInUse", { keys: null }), { bytes: 11 });
  assert.deepEqual(await area.snapshot(), { theme: "dark" });
  await ask("clear");
  assert.deepEqual(browser.items, OWN);
});

test("a key of the area may have the name of one of Sidekeep's own", async () => {
  const { browser, ask, events } = setUp();
  for (const key of [...OWN_KEYS, "sidekeepArea:draft"]) {
    await ask("set", { items: { [key]: 1 } });
    assert.deepEqual(await ask("get", { keys: key }), { items: { [key]: 1 } });
    assert.deepEqual(await ask("get", { keys: { [key]: 2 } }), { items: { [key]: 1 } });
    assert.deepEqual(await ask("getBytesInUse", { keys: [key, key] }), { bytes: 2 * (key.length + 1) });
    assert.deepEqual(events.at(-1), { [key]: { newValue: 1 } });
    await ask("remove", { keys: key });
    assert.deepEqual(events.at(-1), { [key]: { oldValue: 1 } });
  }
  assert.deepEqual(browser.items, OWN);
});

test("a key of a model server is not written to the browser", async () => {
  const { browser, ask } = setUp();
  const providers = { openai: { model: "m", apiKey: "sk-1" }, gone: null, odd: ["apiKey"], deep: { profiles: [{}] } };
  const deeper = { ...providers, deep: { profiles: [{ apiKey: "sk-2" }] } };
  await ask("set", { items: { providers: deeper, other: { apiKey: "its own affair" } } });
  assert.doesNotMatch(JSON.stringify(browser.items), /sk-1/);
  assert.deepEqual((await ask("get", { keys: null })).items, { providers: { ...providers, openai: { model: "m" } }, other: { apiKey: "its own affair" } });
  assert.equal(providers.openai.apiKey, "sk-1", "the caller's own object is left alone");
});

test("getAll gives the light keys with their defaults, and providers less those that were removed", async () => {
  const { ask } = setUp({ theme: "dark", history: ["large"], session_1: [], providers: { openai: { model: "m" }, ollama: null } });
  const { items } = await ask("getAll");
  assert.deepEqual([items.theme, items.activeProvider, items.sendKey], ["dark", "offline", "enter"]);
  assert.deepEqual(items.providers, { openai: { name: "openai", model: "m", keySet: false } });
  assert.ok(!("history" in items) && !("session_1" in items));
});

test("clear clears what was set before it, and not what is set after it", async () => {
  const { ask } = setUp({ a: 1 });
  const all = [ask("set", { items: { b: 1 } }), ask("clear"), ask("set", { items: { a: 2 } })];
  await Promise.all(all);
  assert.deepEqual(await ask("get", { keys: null }), { items: { a: 2 } });
});

test("a full browser is a full area, and the next call works", async () => {
  const { ask } = setUp();
  const error = await rejection(ask("set", { items: { big: "x".repeat(11_000_000) } }));
  assert.equal(error.kind, "quota_exceeded");
  assert.deepEqual(await ask("set", { items: { small: 1 } }), {});
});

test("keys that have changed are not removed", async () => {
  const { browser, area } = setUp({ a: { x: 1 }, b: 1, c: 1 });
  const seen = await area.snapshot();
  browser.data.set("a", { x: 2 });
  assert.deepEqual(await area.removeUnchanged({ a: seen.a, b: seen.b }), ["a"]);
  assert.deepEqual(browser.items, { ...OWN, a: { x: 2 }, c: 1 });
});

test("the browser's events are heard while the area is in use, and no longer", async () => {
  const { browser, area, ask, events } = setUp();
  assert.equal(browser.listeners, 0);
  await ask("get", { keys: null });
  await browser.set({ draft: "typed" });
  assert.deepEqual(events, [], "a draft is no change of the area");
  area.stop();
  await browser.set({ theme: "dark" });
  assert.deepEqual([events, browser.listeners], [[], 0]);
});
