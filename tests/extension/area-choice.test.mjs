/** Where the area is, as hosts come, go and turn out to be others. */

import assert from "node:assert/strict";
import test from "node:test";
import { rejection } from "./fakes.mjs";
import { makeHome } from "./host-process.mjs";
import { Profile } from "./workers.mjs";

/** @import { Worker } from "./workers.mjs" */

const LIMIT = { timeout: 60_000 };

/** @param {Worker} worker @param {any} keys */
const read = async (worker, keys) => (await worker.ask("storage.get", { keys })).items;

/** A profile that never had a host, in use. @param {Record<string, any>} [kept] */
async function withoutHost(kept) {
  const profile = new Profile(kept);
  profile.hasHost = false;
  const worker = profile.start();
  await worker.run();
  return { profile, worker };
}

/** Statuses without those in between. @param {Worker} worker */
const places = (worker) => worker.statuses.map(({ state, area }) => `${state} ${area ?? ""}`.trim());

test("a profile that never had a host works in the browser and says so", LIMIT, async () => {
  const { profile, worker } = await withoutHost();
  await worker.ask("storage.set", { items: { theme: "dark" } });
  assert.deepEqual(await read(worker, null), { theme: "dark" });
  assert.deepEqual(profile.leftInBrowser, { theme: "dark" });
  assert.deepEqual([worker.choice.status.state, worker.choice.status.area], ["no-host", "browser"]);
});

test("what needs a host says that there is none", LIMIT, async () => {
  const { worker } = await withoutHost();
  const error = await rejection(worker.ask("turn.send", { text: "x" }));
  assert.deepEqual([error.kind, error.data.command], ["host_missing", "python3 build.py run"]);
});

test("a host that appears takes the area over, and listeners hear only what differs", LIMIT, async () => {
  const { profile, worker } = await withoutHost();
  await worker.ask("storage.set", { items: { theme: "dark", session_1: [{ role: "user", content: "hi" }], savedSessions: [{ id: "1", name: "One" }] } });
  await worker.ask("storage.set", { items: { history: [{ role: "user", content: "live" }] } });
  worker.events.length = 0;
  profile.hasHost = true;
  await worker.run();
  assert.deepEqual(places(worker).slice(-2), ["starting moving", "ready host"]);
  const [[method, changes], ...more] = worker.events;
  assert.deepEqual([method, more], ["storage.onChanged", []]);
  assert.deepEqual(Object.keys(changes).filter((key) => !key.startsWith("session_")), ["history", "savedSessions"]);
  assert.deepEqual(changes.history, { oldValue: [{ role: "user", content: "live" }] });
  assert.deepEqual(changes.savedSessions.oldValue, [{ id: "1", name: "One" }]);
  assert.deepEqual(changes.savedSessions.newValue, (await read(worker, "savedSessions")).savedSessions);
  await worker.ask("storage.set", { items: { theme: "light" } });
  assert.deepEqual(worker.events.at(-1), ["storage.onChanged", { theme: { newValue: "light", oldValue: "dark" } }]);
  worker.end();
});

test("large values are only told where somebody hears them", LIMIT, async () => {
  const { profile, worker } = await withoutHost({ session_1: "text", theme: "dark" });
  worker.wantsValues = false;
  await worker.ask("storage.set", { items: { session_2: "more", own: 1 } });
  assert.deepEqual(worker.events.pop(), ["storage.onChanged", { own: { newValue: 1 }, session_2: { stale: true } }]);
  profile.hasHost = true;
  await worker.run();
  const [, changes] = worker.events.at(-1);
  assert.deepEqual([changes.session_1, changes.session_2, changes.own], [{ stale: true }, { stale: true }, undefined]);
  worker.end();
});

test("once adopted, a missing host makes reads and writes reject, and the browser takes nothing", LIMIT, async () => {
  const profile = new Profile({ theme: "dark" });
  const first = profile.start();
  await first.run();
  first.end();
  profile.hasHost = false;
  const second = profile.start();
  await second.run();
  for (const [method, params] of /** @type {[string, object][]} */ ([["storage.get", { keys: null }], ["storage.set", { items: { theme: "light" } }]])) {
    const error = await rejection(second.ask(method, params));
    assert.equal(error.kind, "host_missing");
    assert.match(error.message, /store.*cannot be reached.*Nothing was read or written.*install or repair/s);
  }
  assert.deepEqual([second.choice.status.state, second.choice.status.area, profile.leftInBrowser], ["no-host", "away", {}]);
  profile.hasHost = true;
  await second.run();
  assert.deepEqual(await read(second, null), { theme: "dark" });
  second.end();
});

test("a profile that is half adopted takes no writes in the browser either", LIMIT, async () => {
  const profile = new Profile({ theme: "dark", session_1: "text" });
  const first = profile.start();
  first.onStep = (name) => name === "adoption.finish" && first.end();
  await first.run();
  profile.hasHost = false;
  const second = profile.start();
  await second.run();
  assert.equal((await rejection(second.ask("storage.set", { items: { theme: "light" } }))).kind, "host_missing");
  assert.equal(profile.browser.items.theme, "dark");
});

test("a host that fails to start is no missing host: nothing is written beside it", LIMIT, async () => {
  const profile = new Profile({ theme: "dark" });
  profile.hasHost = false;
  profile.said = "Native host has exited.";
  const worker = profile.start();
  worker.port.options.wanted = () => false;
  assert.equal((await rejection(worker.ask("storage.set", { items: { theme: "light" } }))).kind, "host_crashed");
  assert.deepEqual([profile.leftInBrowser, worker.choice.status.area], [{ theme: "dark" }, undefined]);
  worker.end();
});

test("another store is told, is used, and takes nothing over until a person says so", LIMIT, async () => {
  const profile = new Profile({ theme: "dark" });
  const first = profile.start();
  await first.run();
  first.end();
  profile.home = makeHome();
  profile.browser.data.set("stray", 1);
  const second = profile.start();
  await second.run();
  assert.deepEqual([second.choice.status.state, second.choice.status.area], ["ready", "other"]);
  assert.deepEqual(await read(second, null), {});
  assert.equal((await second.ask("adoption.state")).adopted, false);
  assert.deepEqual(profile.leftInBrowser, { stray: 1 });
  await second.choice.accept();
  assert.equal(second.choice.status.area, "host");
  assert.deepEqual([await read(second, null), profile.leftInBrowser], [{ stray: 1 }, {}]);
  second.end();
});

test("the right store that comes back is no other one", LIMIT, async () => {
  const profile = new Profile({ theme: "dark" });
  const right = profile.home;
  for (const [home, area] of /** @type {[string, string][]} */ ([[right, "host"], [makeHome(), "other"], [right, "host"]])) {
    profile.home = home;
    const worker = profile.start();
    await worker.run();
    assert.equal(worker.choice.status.area, area);
    worker.end();
  }
});

test("a start with a known store asks the store nothing", LIMIT, async () => {
  const profile = new Profile();
  for (const expected of [["browser get", "browser set", "browser get", "adoption.state", "adoption.finish", "browser set"], ["browser get"]]) {
    const worker = profile.start();
    await worker.run();
    assert.deepEqual(worker.steps, expected);
    worker.end();
  }
});

test("calls that were made before the host was looked for keep their order", LIMIT, async () => {
  const profile = new Profile();
  const worker = profile.start();
  const all = [1, 2, 3].flatMap((value) => [worker.ask("storage.set", { items: { n: value } }), worker.ask("storage.get", { keys: "n" })]);
  const results = await Promise.all(all);
  assert.deepEqual(results.filter((_, at) => at % 2 === 1).map(({ items }) => items.n), [1, 2, 3]);
  worker.end();
});
