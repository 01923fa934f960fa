import assert from "node:assert/strict";
import test from "node:test";
import { LISTEN_MS, PageCache } from "../../extension/lib/page-cache.js";
import { FakeClock } from "./fakes.mjs";

const PAGE = { url: "https://a.example/", tabId: 7, digest: "d" };

/** The browser's side: its memory, its tabs, who listens to their going. */
class World {
  clock = new FakeClock();
  /** @type {Map<string, any>} */
  kept = new Map();
  alive = new Set([7, 8]);
  /** @type {Set<(tabId: number) => void>} */
  listeners = new Set();
  reads = 0;

  /** A worker that has just started. */
  worker() {
    this.listeners.clear(); // a stopped worker's listeners go with it
    return new PageCache({
      clock: this.clock,
      area: { get: async (key) => ((this.reads += 1), this.kept.get(key)), set: async (key, value) => void this.kept.set(key, value) },
      tabs: {
        isThere: async (tabId) => this.alive.has(tabId),
        onGone: (listener) => {
          this.listeners.add(listener);
          return () => this.listeners.delete(listener);
        },
      },
    });
  }
}

test("nothing is read and nothing listened to before a call needs it", () => {
  const world = new World();
  world.worker();
  assert.deepEqual([world.reads, world.listeners.size], [0, 0]);
});

test("what was remembered outlives the worker", async () => {
  const world = new World();
  await world.worker().remember(PAGE);
  assert.deepEqual(await world.worker().recall(PAGE.url), PAGE);
});

test("a page whose tab has gone is not recalled, nor ever again", async () => {
  const world = new World();
  await world.worker().remember(PAGE);
  world.alive.delete(7);
  const cache = world.worker();
  assert.equal(await cache.recall(PAGE.url), null);
  world.alive.add(7); // another tab that was given the number
  assert.equal(await cache.recall(PAGE.url), null);
});

test("a page is remembered once, as it was last", async () => {
  const cache = new World().worker();
  await cache.remember(PAGE);
  await cache.remember({ ...PAGE, tabId: 8, digest: "e" });
  assert.deepEqual(await cache.recall(PAGE.url), { ...PAGE, tabId: 8, digest: "e" });
});

test("tabs are listened to only while there are pages, and not for long enough to be stopped while listening", async () => {
  const world = new World();
  const cache = world.worker();
  await cache.recall(PAGE.url);
  assert.equal(world.listeners.size, 0, "there is nothing to purge");
  await cache.remember(PAGE);
  assert.equal(world.listeners.size, 1);
  world.clock.advance(LISTEN_MS);
  assert.equal(world.listeners.size, 0);
  await cache.recall(PAGE.url);
  assert.equal(world.listeners.size, 1, "the next call listens again");
  assert.ok(LISTEN_MS < 30_000);
});

test("a closed tab's pages go at once, and with the last the listening", async () => {
  const world = new World();
  const cache = world.worker();
  await cache.remember(PAGE);
  for (const listener of world.listeners) listener(7);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(world.listeners.size, 0);
  assert.deepEqual([...world.kept.values()], [[]]);
});
