import assert from "node:assert/strict";
import test from "node:test";
import { HostError } from "../../extension/lib/host-errors.js";
import { Conversation } from "../../extension/panel/conversation.js";
import { Sync } from "../../extension/panel/sync.js";
import { rejection, settle } from "./fakes.mjs";

/** @param {string} id @param {string} role @param {string} content */
const message = (id, role, content) => ({ id, role, content, createdAt: 0 });

/** A host whose answers come when the test says so. */
class World {
  /** @type {any} */
  stored = { messages: [], activeSessionId: "s" };
  /** @type {any[]} */
  turns = [];
  reads = 0;
  pictures = 0;
  /** @type {unknown[]} */
  errors = [];
  conversation = new Conversation();
  /** @type {(() => void)[]} */
  #waiting = [];

  constructor() {
    const host = /** @type {any} */ ({ request: (/** @type {string} */ method, /** @type {object} */ params) => this.#request(method, params), on: () => {} });
    this.sync = new Sync(host, this.conversation, { onChange: () => {}, onStarted: (event, late) => this.conversation.started(event, late), onError: (error) => this.errors.push(error) });
  }

  /** @param {string} method @param {{pixels?: string}} [params] */
  #request(method, { pixels } = {}) {
    if (pixels === "thumbnail") this.pictures += 1;
    else if (method === "history.get") this.reads += 1;
    return new Promise((resolve) => this.#waiting.push(() => resolve(method === "history.get" ? this.stored : { turns: this.turns })));
  }

  async answer() {
    for (const answer of this.#waiting.splice(0)) answer();
    await settle();
  }

  get ids() {
    return this.conversation.shown.map(({ id }) => id);
  }
}

test("pieces that come while the conversation is read join what was read, once", async () => {
  const world = new World();
  const done = world.sync.read();
  world.stored = { messages: [message("q", "user", "?")], activeSessionId: "s" };
  world.turns = [{ turn: "t", session: "s", text: "The li", reasoning: "", startedAt: 0 }];
  world.sync.happened(() => world.conversation.grew("text", { turn: "t", offset: 4, text: "lig" }));
  world.sync.happened(() => world.conversation.grew("text", { turn: "t", offset: 7, text: "ht" }));
  await world.answer();
  await done;
  assert.equal(world.conversation.live?.text.text, "The light");
});

test("an answer that ends while the conversation is read is not left running", async () => {
  const world = new World();
  const done = world.sync.read();
  world.stored = { messages: [message("q", "user", "?")], activeSessionId: "s" };
  world.turns = [{ turn: "t", session: "s", text: "The", reasoning: "", startedAt: 0 }];
  world.sync.happened(() => world.conversation.done({ turn: "t", message: message("a", "assistant", "The end") }));
  await world.answer();
  await done;
  assert.equal(world.conversation.live, null);
  assert.deepEqual(world.ids, ["q", "a"]);
});

test("a question that was asked before a new chat was opened does not come back into it", async () => {
  const world = new World();
  const started = (/** @type {boolean} */ late) => world.conversation.started({ turn: "t", user: message("q", "user", "?") }, late);
  const reading = world.sync.read();
  world.sync.happened(started);
  world.stored = { messages: [], activeSessionId: "" };
  world.turns = [{ turn: "t", session: "the chat before", text: "", reasoning: "", startedAt: 0 }];
  await world.answer();
  await reading;
  assert.deepEqual(world.ids, []);
  assert.equal(world.conversation.live, null);
  assert.equal(world.reads, 1);
});

test("a question that nothing of what was read explains is looked up once more", async () => {
  const world = new World();
  const reading = world.sync.read();
  world.sync.happened((late) => world.conversation.started({ turn: "t", user: message("q", "user", "?") }, late));
  await world.answer();
  await reading;
  world.stored = { messages: [message("q", "user", "?")], activeSessionId: "s" };
  await world.answer();
  assert.deepEqual(world.ids, ["q"]);
  assert.equal(world.reads, 2);
});

test("wishes to read that come meanwhile are one more reading", async () => {
  const world = new World();
  const all = [world.sync.read(), world.sync.read(), world.sync.read()];
  await world.answer();
  await world.answer();
  await Promise.all(all);
  assert.equal(world.reads, 2);
});

test("a change from elsewhere is read when the answer that runs has ended", async () => {
  const world = new World();
  world.conversation.started({ turn: "t", user: message("q", "user", "?") });
  world.sync.changed();
  await settle();
  assert.equal(world.reads, 0);
  world.sync.happened(() => world.conversation.done({ turn: "t", message: message("a", "assistant", "!") }));
  world.stored = { messages: [message("q", "user", "?"), message("a", "assistant", "!"), message("x", "user", "from the other window")], activeSessionId: "s" };
  await world.answer();
  assert.deepEqual(world.ids, ["q", "a", "x"]);
});

test("reading is tried once more when the host ended, and not for any other error", async () => {
  for (const [kind, reads] of /** @type {const} */ ([["host_gone", 2], ["worker_gone", 2], ["storage_failed", 1]])) {
    let count = 0;
    const host = /** @type {any} */ ({
      request: async (/** @type {string} */ method) => {
        if (method === "history.get") count += 1;
        throw new HostError(kind, "x");
      },
      on: () => {},
    });
    const sync = new Sync(host, new Conversation(), { onChange: () => {}, onStarted: () => "ignore", onError: () => {} });
    assert.equal((await rejection(sync.readOverRestart())).kind, kind);
    assert.equal(count, reads, kind);
  }
});

test("pictures are asked for once they are wanted, and from then on after each reading", async () => {
  const world = new World();
  const picture = { type: "image_url", image_url: { ref: "r", width: 1, height: 1, bytes: 1 } };
  world.stored = { messages: [{ id: "q", role: "user", content: [{ type: "text", text: "?" }, picture], createdAt: 0 }], activeSessionId: "s" };
  const read = async () => {
    const done = world.sync.read();
    await world.answer();
    await done;
  };
  await read();
  assert.equal(world.pictures, 0);
  world.sync.wantPictures();
  assert.equal(world.pictures, 1);
  await read();
  assert.equal(world.pictures, 2);
});
