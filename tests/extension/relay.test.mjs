import assert from "node:assert/strict";
import test from "node:test";
import { HostClient } from "../../extension/lib/host-client.js";
import { HostError } from "../../extension/lib/host-errors.js";
import { LINGER_MS, Relay } from "../../extension/lib/relay.js";
import { FakeClock, FakePort, rejection, settle } from "./fakes.mjs";

/** @import { AreaChoice } from "../../extension/lib/area-choice.js" */
/** @import { HostStatus } from "../../extension/lib/types.js" */

/** The worker's port to the host, as the relay uses it. */
class FakeHost {
  /** @type {HostStatus} */
  status = { state: "ready", reason: "", message: "" };
  busy = false;
  closed = false;
  retries = 0;
  /** @type {{method: string, params: any, options: any, resolve: (result: any) => void, reject: (error: unknown) => void}[]} */
  asked = [];

  /** @param {string} method @param {object} params @param {any} options */
  request(method, params, options) {
    return new Promise((resolve, reject) => this.asked.push({ method, params, options, resolve, reject }));
  }

  async retry() {
    this.retries += 1;
  }

  close() {
    this.closed = true;
  }
}

function setUp() {
  const host = new FakeHost();
  const clock = new FakeClock();
  const relay = new Relay(/** @type {AreaChoice} */ (/** @type {unknown} */ (host)), clock);
  const join = (/** @type {FakePort} */ page = new FakePort()) => {
    relay.join(page);
    return page;
  };
  return { host, clock, relay, join };
}

/** @param {FakeHost} host */
const lastAsked = (host) => /** @type {FakeHost["asked"][number]} */ (host.asked.at(-1));

test("a page that joins is told how the host is", () => {
  const { join } = setUp();
  assert.deepEqual(join().sent, [{ method: "host.state", params: { state: "ready", reason: "", message: "" } }]);
});

test("a page that joins while the host is missing has it looked for again", () => {
  const { host, join } = setUp();
  host.status = { state: "no-host", reason: "missing", message: "" };
  join();
  assert.equal(host.retries, 1);
});

test("two pages with the same ids each get their own answer", async () => {
  const { host, join } = setUp();
  const [one, two] = [join(), join()];
  one.receive({ id: 1, method: "a" });
  two.receive({ id: 1, method: "b" });
  host.asked[1]?.resolve("B");
  host.asked[0]?.resolve("A");
  await settle();
  assert.deepEqual([one.last, two.last], [{ id: 1, result: "A" }, { id: 1, result: "B" }]);
});

test("an error keeps its code, kind and data on the way to the page", async () => {
  const { host, join } = setUp();
  const page = join();
  page.receive({ id: "x", method: "sessions.load", params: {} });
  lastAsked(host).reject(new HostError("not_found", "No such chat.", { code: -32003, data: { id: 1 } }));
  await settle();
  assert.deepEqual(page.last, { id: "x", error: { code: -32003, message: "No such chat.", data: { id: 1, kind: "not_found" } } });
});

test("what the host announces goes to every page", () => {
  const { relay, join } = setUp();
  const pages = [join(), join()];
  relay.announce("turn.delta", { text: "a" });
  for (const page of pages) assert.deepEqual(page.last, { method: "turn.delta", params: { text: "a" } });
});

test("a page cannot say hello: it would change whose data every page sees", async () => {
  const { host, join } = setUp();
  const page = join();
  page.receive({ id: 1, method: "hello", params: { profile: "another" } });
  await settle();
  assert.equal(page.last.error.data.kind, "invalid_request");
  assert.equal(host.asked.length, 0);
});

test("messages that are no requests are passed over", async () => {
  const { host, join } = setUp();
  const page = join();
  for (const message of [{}, { id: 1 }, { method: "ping" }, { id: null, method: "ping" }, { id: 1, method: 5 }]) page.receive(message);
  await settle();
  assert.equal(host.asked.length, 0);
});

test("a page's cancel reaches the request it names, and no other page's", () => {
  const { host, join } = setUp();
  const [one, two] = [join(), join()];
  one.receive({ id: 1, method: "a" });
  two.receive({ id: 1, method: "b" });
  two.receive({ method: "$/cancelRequest", params: { id: 1 } });
  assert.deepEqual(host.asked.map(({ options }) => options.signal.aborted), [false, true]);
});

test("a page that closes cancels nothing", () => {
  const { host, join } = setUp();
  const page = join();
  page.receive({ id: 1, method: "turn.send", params: { text: "x" } });
  page.drop();
  assert.equal(lastAsked(host).options.signal.aborted, false);
});

test("an answer for a page that has closed is dropped quietly", async () => {
  const { host, join } = setUp();
  const page = join();
  page.receive({ id: 1, method: "a" });
  page.drop();
  lastAsked(host).resolve("late");
  await settle();
  assert.equal(page.sent.length, 1);
});

test("the host is let go when the last page has been closed for a while", async () => {
  const { host, clock, join } = setUp();
  const page = join();
  await clock.advance(LINGER_MS * 2);
  assert.equal(host.closed, false);
  page.drop();
  await clock.advance(LINGER_MS - 1);
  assert.equal(host.closed, false);
  await clock.advance(1);
  assert.equal(host.closed, true);
});

test("a page that comes back in time keeps the host", async () => {
  const { host, clock, join } = setUp();
  join().drop();
  await clock.advance(LINGER_MS - 1);
  join();
  await clock.advance(LINGER_MS * 2);
  assert.equal(host.closed, false);
});

test("the host is kept while it answers a question, however long after the last page has closed", async () => {
  const { host, clock, relay, join } = setUp();
  const page = join();
  relay.announce("turn.started", { turn: "t" });
  page.drop();
  await clock.advance(LINGER_MS * 20);
  assert.equal(host.closed, false);
  relay.announce("turn.done", { turn: "t" });
  await clock.advance(LINGER_MS);
  assert.equal(host.closed, true);
});

test("the host is kept while a request is under way", async () => {
  const { host, clock, join } = setUp();
  const page = join();
  host.busy = true;
  page.receive({ id: 1, method: "attachments.add" });
  page.drop();
  await clock.advance(LINGER_MS * 3);
  assert.equal(host.closed, false);
  host.busy = false;
  lastAsked(host).resolve({});
  await settle();
  await clock.advance(LINGER_MS);
  assert.equal(host.closed, true);
});

/** A page's client whose port is wired to a relay. */
function wired(limit = Infinity) {
  const world = setUp();
  const clock = new FakeClock();
  /** @type {{page: FakePort, worker: FakePort}[]} */
  const links = [];
  const client = new HostClient({
    clock,
    connect: () => {
      const link = { page: new FakePort({ limit }), worker: new FakePort({ limit }) };
      link.page.postMessage = forward(link.page.postMessage.bind(link.page), link.worker);
      link.worker.postMessage = forward(link.worker.postMessage.bind(link.worker), link.page);
      links.push(link);
      world.relay.join(link.worker);
      return link.page;
    },
  });
  return { ...world, client, pageClock: clock, links };
}

/** @param {(message: any) => void} post @param {FakePort} other */
function forward(post, other) {
  return (/** @type {any} */ message) => {
    post(message);
    queueMicrotask(() => other.receive(message));
  };
}

test("a page's request comes back with its answer", async () => {
  const { client, host } = wired();
  client.start();
  const asked = client.request("storage.get", { keys: "theme" });
  await settle();
  assert.deepEqual([lastAsked(host).method, lastAsked(host).params], ["storage.get", { keys: "theme" }]);
  lastAsked(host).resolve({ items: {} });
  assert.deepEqual(await asked, { items: {} });
});

test("what is too large for the browser's port goes in parts, both ways", async () => {
  const { client, host } = wired(1_200_000);
  client.start();
  const text = "ż".repeat(3_000_000);
  const asked = client.request("turn.send", { text });
  await settle();
  assert.equal(lastAsked(host).params.text, text);
  lastAsked(host).resolve({ turn: text });
  assert.deepEqual(await asked, { turn: text });
});

test("a worker that ends fails what it was asked, is started again, and the page hears how the host is", async () => {
  const { client, links, pageClock } = wired();
  /** @type {string[]} */
  const states = [];
  client.on("host.state", ({ state }) => states.push(state));
  client.start();
  const failed = rejection(client.request("ping"));
  await settle();
  links[0]?.page.drop();
  assert.equal((await failed).kind, "worker_gone");
  await pageClock.advance(1000);
  assert.equal(links.length, 2);
  assert.deepEqual(states, ["ready", "starting", "ready"]);
});

test("a listener that was given a signal hears nothing after it", async () => {
  const { client, relay } = wired();
  const controller = new AbortController();
  let heard = 0;
  client.on("turn.done", () => (heard += 1), { signal: controller.signal });
  client.start();
  relay.announce("turn.done", { turn: "t" });
  await settle();
  controller.abort();
  relay.announce("turn.done", { turn: "t" });
  await settle();
  assert.equal(heard, 1);
});
