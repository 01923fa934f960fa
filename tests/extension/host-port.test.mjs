import assert from "node:assert/strict";
import test from "node:test";
import { Backoff } from "../../extension/lib/backoff.js";
import { HELLO_TIMEOUT_MS, HostPort, STABLE_MS } from "../../extension/lib/host-port.js";
import { split } from "../../extension/lib/parts.js";
import { DEFAULT_TIMEOUT_MS } from "../../extension/lib/pending.js";
/** @import { HostStatus } from "../../extension/lib/types.js" */
import { FakeClock, FakePort, rejection, settle } from "./fakes.mjs";

const HELLO = { server: "sidekeep", version: "1.2.3", protocol: 1, store: { engine: "sqlite", id: "x", bytes: 0, conversations: 0 }, capabilities: [] };

/** A host that is played by the test: `ports` are the native ports that were opened, oldest first. */
class World {
  clock = new FakeClock();
  /** @type {FakePort[]} */
  ports = [];
  lastError = "Native host has exited.";
  /** @type {HostStatus[]} */
  statuses = [];
  /** @type {[string, any][]} */
  heard = [];

  /** @param {{partChars?: number, wanted?: boolean}} [options] */
  constructor({ partChars = 1000, wanted = true } = {}) {
    this.host = new HostPort({
      clock: this.clock,
      partChars,
      backoff: new Backoff(() => 1 - Number.EPSILON),
      connect: () => {
        this.ports.push(new FakePort());
        return { port: this.port, lastError: () => this.lastError };
      },
      hello: async () => ({ client: "test", version: "0", profile: "p" }),
      onStatus: (status) => this.statuses.push(status),
      onNotification: (method, params) => this.heard.push([method, params]),
      wanted: () => wanted,
    });
  }

  get port() {
    return /** @type {FakePort} */ (this.ports.at(-1));
  }

  async greet() {
    await settle();
    this.port.receive({ jsonrpc: "2.0", id: this.port.sent[0].id, result: HELLO });
    await settle();
  }

  /**
   * Answer the last request.
   * @param {object} reply
   */
  async answer(reply) {
    this.port.receive({ jsonrpc: "2.0", id: this.port.last.id, ...reply });
    await settle();
  }

  async drop(lastError = this.lastError) {
    this.lastError = lastError;
    this.port.drop();
    await settle();
  }
}

/** The same, greeted. */
async function ready(options = {}) {
  const world = new World(options);
  const started = world.host.retry();
  await world.greet();
  await started;
  return world;
}

test("no port is opened before somebody asks", async () => {
  const world = new World();
  await settle();
  assert.equal(world.ports.length, 0);
});

test("hello goes first, with the protocol's number and what the caller adds; requests wait for its answer", async () => {
  const world = new World();
  const asked = world.host.request("ping");
  await settle();
  assert.deepEqual(world.port.sent, [{ jsonrpc: "2.0", id: 1, method: "hello", params: { client: "test", version: "0", profile: "p", protocol: 1 } }]);
  await world.greet();
  assert.equal(world.port.last.method, "ping");
  await world.answer({ result: {} });
  assert.deepEqual(await asked, {});
  assert.equal(world.host.status.state, "ready");
  assert.equal(world.host.status.hello?.version, "1.2.3");
});

test("requests made at once share one port and one hello", async () => {
  const world = new World();
  const all = [world.host.request("a"), world.host.request("b")];
  await world.greet();
  assert.equal(world.ports.length, 1);
  assert.deepEqual(world.port.sent.map(({ method }) => method), ["hello", "a", "b"]);
  world.port.receive({ id: world.port.sent[2].id, result: "B" });
  world.port.receive({ id: world.port.sent[1].id, result: "A" });
  assert.deepEqual(await Promise.all(all), ["A", "B"], "answers go by id, not by order");
});

test("an error reply rejects with its kind, code and data", async () => {
  const world = await ready();
  const failed = rejection(world.host.request("sessions.load", { id: "x" }));
  await settle();
  await world.answer({ error: { code: -32003, message: "No such chat.", data: { kind: "not_found", id: "x" } } });
  const error = await failed;
  assert.deepEqual([error.name, error.kind, error.code, error.message, error.data.id], ["HostError", "not_found", -32003, "No such chat.", "x"]);
});

test("a notification is passed on, also one that came in parts", async () => {
  const world = await ready();
  world.port.receive({ jsonrpc: "2.0", method: "turn.delta", params: { text: "a" } });
  const text = JSON.stringify({ jsonrpc: "2.0", method: "turn.delta", params: { text: "b".repeat(50) } });
  for (const part of split(text, { stream: "h1", partChars: 7 })) world.port.receive(part);
  assert.deepEqual(world.heard, [["turn.delta", { text: "a" }], ["turn.delta", { text: "b".repeat(50) }]]);
});

test("a reply in parts settles its request while another stream's parts come in between", async () => {
  const world = await ready();
  const big = world.host.request("history.get");
  const other = world.host.request("sessions.get");
  await settle();
  const [bigId, otherId] = world.port.sent.slice(1).map(({ id }) => id);
  const one = [...split(JSON.stringify({ jsonrpc: "2.0", id: bigId, result: "x".repeat(40) }), { stream: "h1", partChars: 9 })];
  const two = [...split(JSON.stringify({ jsonrpc: "2.0", id: otherId, result: "y".repeat(40) }), { stream: "h2", partChars: 9 })];
  while (one.length + two.length > 0) for (const stream of [one, two]) if (stream.length > 0) world.port.receive(stream.shift());
  assert.deepEqual(await Promise.all([big, other]), ["x".repeat(40), "y".repeat(40)]);
});

test("a gap in a reply's parts cancels the stream and fails that request alone", async () => {
  const world = await ready();
  const failed = rejection(world.host.request("history.get"));
  const other = world.host.request("ping");
  await settle();
  const [id, otherId] = world.port.sent.slice(1).map((message) => message.id);
  const parts = [...split(JSON.stringify({ jsonrpc: "2.0", id, result: "x".repeat(200) }), { stream: "h1", partChars: 60 })];
  world.port.receive(parts[0]);
  world.port.receive(parts[2]);
  assert.equal((await failed).kind, "bad_reply");
  assert.deepEqual(world.port.last, { jsonrpc: "2.0", method: "$/cancelStream", params: { stream: "h1" } });
  world.port.receive({ id: otherId, result: {} });
  assert.deepEqual(await other, {});
});

test("a message above the part size goes out in parts that join to it", async () => {
  const world = await ready({ partChars: 300 });
  const text = "😀".repeat(900);
  void world.host.request("storage.set", { items: { text } });
  await settle();
  const parts = world.port.sent.slice(1).map(({ part }) => part);
  assert.ok(parts.length > 5);
  assert.ok(parts.every((part) => part.text.length <= 300));
  assert.equal(new Set(parts.map(({ stream }) => stream)).size, 1);
  assert.equal(JSON.parse(parts.map((part) => part.text).join("")).params.items.text, text);
});

test("a request that is not answered in time is rejected, and the host is told to stop", async () => {
  const world = await ready();
  const failed = rejection(world.host.request("history.get"));
  await settle();
  const { id } = world.port.last;
  await world.clock.advance(DEFAULT_TIMEOUT_MS - 1);
  assert.equal(world.port.last.id, id);
  await world.clock.advance(1);
  assert.equal((await failed).kind, "timeout");
  assert.deepEqual(world.port.last, { jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
  world.port.receive({ id, result: "late" }); // must not throw
});

test("an answered request leaves no timer", async () => {
  const world = await ready();
  const asked = world.host.request("ping");
  await settle();
  await world.answer({ result: {} });
  await asked;
  assert.deepEqual(world.clock.waits, []);
});

test("a cancelled request is rejected at once, and the host is told", async () => {
  const world = await ready();
  const controller = new AbortController();
  const failed = rejection(world.host.request("sessions.list", {}, { signal: controller.signal }));
  await settle();
  const { id } = world.port.last;
  controller.abort();
  assert.equal((await failed).kind, "cancelled");
  assert.deepEqual(world.port.last.params, { id });
});

for (const [lastError, state, kind, command] of /** @type {const} */ ([
  ["Specified native messaging host not found.", "no-host", "host_missing", "python3 build.py run"],
  ["Access to the specified native messaging host is forbidden.", "no-host", "host_forbidden", "python3 build.py run"],
])) {
  test(`"${lastError}" is final until a person says so`, async () => {
    const world = new World();
    const failed = rejection(world.host.request("ping"));
    await settle();
    await world.drop(lastError);
    assert.equal((await failed).kind, kind);
    assert.deepEqual([world.host.status.state, world.host.status.command], [state, command]);
    assert.deepEqual(world.clock.waits, [], "it is not tried again by itself");
    assert.equal((await rejection(world.host.request("ping"))).kind, kind);
    assert.equal(world.ports.length, 1, "a request does not try it either");
    const retried = world.host.retry();
    await world.greet();
    await retried;
    assert.equal(world.host.status.state, "ready");
  });
}

test("a host that exits before its hello has crashed, and is tried again with growing pauses up to 30 s", async () => {
  const world = new World();
  void world.host.retry();
  await settle();
  const pauses = [];
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await world.drop("Native host has exited.");
    assert.equal(world.host.status.state, "crashed");
    const [pause = NaN] = world.clock.waits;
    pauses.push(pause);
    await world.clock.advance(pause);
  }
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(world.ports.length, 11);
});

test("the pauses have jitter downwards, at most by half", () => {
  assert.deepEqual([new Backoff(() => 0).next(), new Backoff(() => 0.5).next()], [125, 188]);
});

test("the pauses begin anew only after a host that answered hello and lived", async () => {
  const world = new World();
  void world.host.retry();
  await settle();
  for (const pause of [250, 500]) {
    await world.drop();
    await world.clock.advance(pause);
  }
  await world.greet();
  await world.clock.advance(STABLE_MS);
  await world.drop();
  assert.deepEqual(world.clock.waits, [250]);
});

test("hosts that answer hello and die at once are not restarted ever faster", async () => {
  const world = await ready();
  const pauses = [];
  for (let death = 0; death < 4; death += 1) {
    await world.drop();
    pauses.push(world.clock.waits[0]);
    await world.clock.advance(/** @type {number} */ (world.clock.waits[0]));
    await world.greet();
  }
  assert.deepEqual(pauses, [250, 500, 1000, 2000]);
  const states = world.statuses.map(({ state }) => state);
  assert.ok(states.includes("crashed"), "the person is told");
  assert.notEqual(states[2], "crashed", "but not for a single death");
});

test("what waits when the port drops fails with a named error, and a new port serves what comes next", async () => {
  const world = await ready();
  const failed = [rejection(world.host.request("a")), rejection(world.host.request("b"))];
  await settle();
  await world.clock.advance(STABLE_MS);
  await world.drop();
  assert.deepEqual((await Promise.all(failed)).map(({ kind }) => kind), ["host_gone", "host_gone"]);
  const next = world.host.request("c");
  await world.greet();
  await world.answer({ result: "C" });
  assert.equal(await next, "C");
  assert.equal(world.ports.length, 2);
});

test("a request comes before the pause is over and opens the port itself", async () => {
  const world = await ready();
  await world.drop();
  const asked = world.host.request("ping");
  await world.greet();
  await world.answer({ result: {} });
  await asked;
  await world.clock.advance(60_000);
  assert.equal(world.ports.length, 2, "the pause's own attempt was called off");
});

test("without anybody who waits for the host a broken port stays closed", async () => {
  const world = await ready({ wanted: false });
  await world.clock.advance(STABLE_MS);
  await world.drop();
  assert.deepEqual(world.clock.waits, []);
});

for (const [name, reply, side] of /** @type {const} */ ([
  ["the host is older", { error: { code: -32001, message: "m", data: { kind: "protocol_mismatch", update: "host", command: "pipx upgrade" } } }, "host"],
  ["the extension is older", { error: { code: -32001, message: "m", data: { kind: "protocol_mismatch", update: "extension" } } }, "extension"],
  ["hello answers with another protocol", { result: { ...HELLO, protocol: 2 } }, "host"],
  ["another program answers", { result: { server: "other", protocol: 1 } }, "host"],
])) {
  test(`a mismatch names the side to update, and is final: ${name}`, async () => {
    const world = new World();
    const failed = rejection(world.host.request("ping"));
    await settle();
    await world.answer(reply);
    assert.equal((await failed).kind, "host_outdated");
    assert.deepEqual([world.host.status.state, world.host.status.reason], ["outdated", `outdated_${side}`]);
    assert.equal(world.host.status.command, reply.error?.data.command ?? world.host.status.command);
    assert.ok(world.host.status.command);
    assert.ok(world.port.closed, "the host is let go");
    assert.deepEqual(world.clock.waits, []);
  });
}

test("a host that does not answer hello has crashed, and its process is let go", async () => {
  const world = new World();
  const failed = rejection(world.host.request("ping"));
  await settle();
  await world.clock.advance(HELLO_TIMEOUT_MS);
  assert.equal((await failed).kind, "host_crashed");
  assert.deepEqual([world.host.status.state, world.host.status.reason], ["crashed", "silent"]);
  assert.ok(world.ports[0]?.closed);
});

test("a store that cannot be opened is told in the host's own words", async () => {
  const world = new World();
  void world.host.retry();
  await settle();
  await world.answer({ error: { code: -32007, message: "The disk is full.", data: { kind: "storage_failed" } } });
  assert.deepEqual([world.host.status.state, world.host.status.reason, world.host.status.message], ["crashed", "refused", "The disk is full."]);
});

test("what an old port still says after a new one was opened is not heard", async () => {
  const world = await ready();
  const [old] = world.ports;
  world.host.close();
  void world.host.retry();
  await world.greet();
  old?.receive({ method: "turn.delta", params: {} });
  old?.drop();
  assert.deepEqual(world.heard, []);
  assert.equal(world.host.status.state, "ready");
});

test("closing fails what waits and opens nothing by itself", async () => {
  const world = await ready();
  const failed = rejection(world.host.request("ping"));
  await settle();
  world.host.close();
  assert.equal((await failed).kind, "host_gone");
  assert.equal(world.host.open, false);
  await world.clock.advance(60_000);
  assert.equal(world.ports.length, 1);
});

for (const [part, refuse] of /** @type {const} */ ([
  ["hello", () => Promise.reject(new Error("the browser refused"))],
  ["connect", () => { throw new Error("the browser refused"); }],
])) {
  test(`a ${part} that the browser refuses once does not stand in the way of the next`, async () => {
    const world = new World();
    const works = world.host.options[part];
    Object.assign(world.host.options, { [part]: refuse });
    const failed = await rejection(world.host.request("ping"));
    assert.deepEqual([failed.kind, failed.message], ["host_crashed", "Error: the browser refused"]);
    assert.equal(world.host.status.state, "crashed");
    Object.assign(world.host.options, { [part]: works });
    const asked = world.host.request("ping");
    await world.greet();
    await world.answer({ result: {} });
    assert.deepEqual(await asked, {});
  });
}
