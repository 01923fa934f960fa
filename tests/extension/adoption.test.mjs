/** The extension's half of adoption, on a real host: whole, once, and wherever it is cut off. */

import assert from "node:assert/strict";
import test from "node:test";
import { adopt } from "../../extension/lib/adoption.js";
import { FallbackArea } from "../../extension/lib/fallback-area.js";
import { FakeBrowserArea } from "./browser-area.mjs";
import { rejection } from "./fakes.mjs";
import { makeHome } from "./host-process.mjs";
import { Profile } from "./workers.mjs";

/** @import { Worker } from "./workers.mjs" */

const LIMIT = { timeout: 60_000 };
const MANY = { timeout: 180_000, concurrency: 4 };

/** @param {string} content */
const say = (content, role = "user") => ({ role, content });

/** What a profile of old and one without a host may have kept, together. */
const KEPT = {
  savedSessions: [
    { id: "1", name: "One", createdAt: 11, pinned: true, textDigest: "first" },
    { id: "2", name: "Two", createdAt: 22, history: [say("second"), say("answer", "assistant")] },
    { id: 3, name: "Three", createdAt: 33, pinned: false, history: [say("third")] },
    { id: "4", name: "Only a name", createdAt: 44 },
  ],
  session_1: [say("first"), say("more", "assistant")],
  session_5: "no list of messages",
  history: [say("live"), say("talk", "assistant")],
  activeSessionId: "1",
  theme: "dark",
  providers: { openai: { model: "m", apiKey: "sk-old" } },
  "": { any: ["key", 1.5, null, { "": true }] },
};
const CHATS = {
  One: ["first", "more"],
  Two: ["second", "answer"],
  Three: ["third"],
  "Only a name": [],
  live: ["live", "talk"],
};

/** @param {Worker} worker @returns {Promise<Record<string, any>>} texts by name; a name that is there twice has "(2)" */
async function chats(worker) {
  const { sessions } = await worker.ask("sessions.list", { limit: 100 });
  /** @type {Record<string, any>} */
  const found = {};
  for (const { id, name } of sessions) {
    const { messages } = await worker.ask("sessions.get", { id });
    found[name in found ? `${name} (2)` : name] = messages.map((/** @type {any} */ message) => message.content);
  }
  return found;
}

/** @param {Profile} profile @param {Worker} worker */
async function assertAdopted(profile, worker) {
  const found = await chats(worker);
  const unnamed = Object.keys(found).filter((name) => !(name in CHATS));
  assert.equal(unnamed.length, 1, `one chat whose body is no list of messages: ${unnamed}`);
  assert.deepEqual({ ...found, [String(unnamed[0])]: undefined }, { ...CHATS, [String(unnamed[0])]: undefined });
  const { items } = await worker.ask("storage.get", { keys: ["theme", "providers", "", "session_5"] });
  assert.deepEqual(items, { "": KEPT[""], providers: { openai: { model: "m" } }, session_5: KEPT.session_5, theme: "dark" });
  assert.equal((await worker.ask("storage.getAll")).items.providers.openai.keySet, true);
  assert.deepEqual(profile.leftInBrowser, {});
  assert.equal(profile.browser.items.draft, "half a ques");
  assert.deepEqual(profile.browser.items.sidekeepAdopted, { store: worker.port.status.hello?.store.id, done: true });
  assert.equal(worker.choice.status.area, "host");
}

test("chats of old and new, keys and settings move into the store, and the browser's copy goes", LIMIT, async () => {
  const profile = new Profile(KEPT);
  const worker = profile.start();
  await worker.run();
  await assertAdopted(profile, worker);
  worker.end();
});

test("wherever the worker ends, the next one ends in the same state", MANY, async (t) => {
  const whole = new Profile(KEPT).start();
  await whole.run();
  const { steps } = whole;
  whole.end();
  assert.ok(steps.length > 15, `too few steps to mean anything: ${steps}`);
  // To end before a step is to end after the one before it.
  const cases = steps.map((name, step) =>
    t.test(`after step ${step}, ${name}`, async () => {
      const profile = new Profile(KEPT);
      await profile.start(step).run();
      const second = profile.start();
      await second.run();
      await assertAdopted(profile, second);
      second.end();
    }),
  );
  await Promise.all(cases);
});

test("wherever the host is killed, it is started again and the end is the same", MANY, async (t) => {
  const whole = new Profile(KEPT).start();
  await whole.run();
  const steps = whole.steps.map((name, at) => ({ name, at })).filter(({ name }) => !name.startsWith("browser"));
  whole.end();
  const cases = steps.map(({ name, at }) =>
    t.test(`at step ${at}, ${name}`, async () => {
      const profile = new Profile(KEPT);
      const worker = profile.start();
      let killed = 0;
      worker.onStep = (_name, now) => {
        if (now === at) setImmediate(() => (killed += worker.killHost()));
      };
      await worker.run();
      worker.onStep = () => {};
      assert.equal(killed, 1);
      await worker.ask("ping").catch(() => {}); // killed in the last step, it may have answered that before
      await assertAdopted(profile, worker);
      worker.end();
    }),
  );
  await Promise.all(cases);
});

test("what the browser's user asks meanwhile waits, and is done in its order", LIMIT, async () => {
  const profile = new Profile(KEPT);
  const worker = profile.start();
  /** @type {string[]} */
  const order = [];
  const done = (/** @type {string} */ name) => (/** @type {any} */ result) => (order.push(name), result);
  const read = worker.ask("storage.get", { keys: "theme" }).then(done("read"));
  const write = worker.ask("storage.set", { items: { theme: "light" } }).then(done("write"));
  const again = worker.ask("storage.get", { keys: "theme" }).then(done("again"));
  assert.deepEqual([await read, await write, await again], [{ items: { theme: "dark" } }, {}, { items: { theme: "light" } }]);
  assert.deepEqual(order, ["read", "write", "again"]);
  assert.deepEqual(profile.leftInBrowser, {});
  worker.end();
});

test("who waits does not learn that the host was killed in between", LIMIT, async () => {
  const worker = new Profile(KEPT).start();
  let killed = 0;
  worker.onStep = (name) => {
    if (name === "adoption.body" && !killed) killed = worker.killHost();
  };
  assert.deepEqual(await worker.ask("storage.get", { keys: "theme" }), { items: { theme: "dark" } });
  assert.equal(killed, 1);
  worker.end();
});

test("old chats go only when each of their bodies came back as it was", async () => {
  const browser = new FakeBrowserArea({ savedSessions: [{ id: "1", history: ["a"] }, { id: "2", history: ["b"] }] });
  const area = new FallbackArea({ area: () => browser, announce: () => {}, wantsValues: () => false });
  for (const [second, left] of /** @type {[any, string[]][]} */ ([[["c"], ["savedSessions"]], [["b"], []]])) {
    /** @type {Record<string, any>} */
    const store = { session_1: ["a"], session_2: second, savedSessions: [{ id: "2" }, { id: "1" }] };
    const request = async (/** @type {string} */ method, /** @type {any} */ params) => (method === "adoption.read" ? { value: store[params.key] } : { kept: [] });
    assert.deepEqual((await adopt(/** @type {any} */ (request), area)).left, left);
  }
  assert.deepEqual(browser.items, {});
});

test("what is asked in the midst of it sees no half of it", LIMIT, async () => {
  const worker = new Profile(KEPT).start();
  /** @type {Promise<any>[]} */
  const asked = [];
  worker.onStep = (name) => {
    if (name === "adoption.body" || name === "adoption.finish") asked.push(worker.ask("storage.get", { keys: "theme" }), worker.ask("sessions.list"));
  };
  await worker.run();
  for (const [at, { items, total }] of (await Promise.all(asked)).entries()) {
    if (at % 2 === 0) assert.deepEqual(items, { theme: "dark" });
    else assert.equal(total, Object.keys(CHATS).length + 1);
  }
  assert.ok(asked.length >= 10);
  worker.end();
});

test("nothing is removed that changed meanwhile, and it is told", LIMIT, async () => {
  const profile = new Profile({ theme: "dark", own: 1 });
  const worker = profile.start();
  worker.onStep = (name) => {
    if (name === "adoption.finish") profile.browser.data.set("own", 2);
  };
  await worker.run();
  assert.deepEqual(profile.leftInBrowser, { own: 2 });
  assert.deepEqual([worker.choice.status.area, worker.choice.status.left], ["left", ["own"]]);
  await worker.choice.accept();
  assert.equal(worker.choice.status.area, "host");
  worker.end();
});

test("nothing is removed that the store does not give back as it was", LIMIT, async () => {
  const profile = new Profile({ theme: "dark", history: { no: "list" }, savedSessions: [{ id: "a", name: "A", folder: "Work" }] });
  const worker = profile.start();
  await worker.run();
  assert.deepEqual(profile.leftInBrowser, { history: { no: "list" }, savedSessions: [{ id: "a", name: "A", folder: "Work" }] });
  assert.deepEqual(worker.choice.status.left, ["history", "savedSessions"]);
  worker.end();
});

test("a key that has no address stays in the browser, because the key store cannot take it", LIMIT, async () => {
  const providers = { mine: { apiKey: "sk-1" } };
  const profile = new Profile({ providers });
  const worker = profile.start();
  await worker.run();
  assert.deepEqual(profile.leftInBrowser, { providers });
  assert.deepEqual((await worker.ask("storage.get", { keys: "providers" })).items, { providers: { mine: {} } });
  worker.end();
});

test("a key where no provider has one stays in the browser, because the host keeps it nowhere", LIMIT, async () => {
  const providers = { mine: { model: "m", profiles: [{ apiKey: "sk-1" }] } };
  const profile = new Profile({ providers });
  const worker = profile.start();
  await worker.run();
  assert.deepEqual(profile.leftInBrowser, { providers });
  assert.deepEqual((await worker.ask("storage.get", { keys: "providers" })).items, { providers: { mine: { model: "m", profiles: [{}] } } });
  worker.end();
});

test("what the store has wins, and the browser's value goes", LIMIT, async () => {
  const home = makeHome();
  const first = new Profile({ theme: "light" }, home);
  const one = first.start();
  await one.run();
  const second = new Profile({ theme: "dark" }, home);
  const two = second.start();
  await two.run();
  assert.deepEqual((await two.ask("storage.get", { keys: "theme" })).items, { theme: "light" });
  assert.deepEqual(second.leftInBrowser, {});
  one.end();
  two.end();
});

test("one profile's success does not make another skip, and the same id of two chats becomes two", LIMIT, async () => {
  const home = makeHome();
  for (const text of ["mine", "theirs"]) {
    const profile = new Profile({ session_1: [say(text)], savedSessions: [{ id: "1", name: text }] }, home);
    const worker = profile.start();
    await worker.run();
    assert.deepEqual(profile.leftInBrowser, {});
    if (text === "theirs") assert.deepEqual(await chats(worker), { mine: ["mine"], theirs: ["theirs"] });
    worker.end();
  }
});

test("a host that cannot take it over is told, and the browser keeps everything", LIMIT, async () => {
  const profile = new Profile({ theme: "dark" });
  const worker = profile.start();
  const broken = Object.assign(new Error("The disk is full."), { kind: "storage_failed" });
  worker.onStep = (name) => {
    if (name === "adoption.finish") throw broken;
  };
  await worker.run();
  assert.deepEqual([worker.choice.status.state, worker.choice.status.message], ["not-moved", "The disk is full."]);
  assert.equal(await rejection(worker.ask("storage.get", { keys: null })), broken);
  assert.deepEqual(profile.leftInBrowser, { theme: "dark" });
  worker.onStep = () => {};
  await worker.run();
  assert.deepEqual([worker.choice.status.state, profile.leftInBrowser], ["ready", {}]);
  worker.end();
});
