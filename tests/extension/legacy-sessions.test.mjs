import assert from "node:assert/strict";
import test from "node:test";
import { planOf } from "../../extension/lib/legacy-sessions.js";

/** @param {Record<string, any>} items */
function plan(items) {
  const { bodies, rest } = planOf(items);
  return { bodies: Object.fromEntries(bodies), rest };
}

test("an entry with its history becomes a body and a light entry", () => {
  const items = { savedSessions: [{ id: "a", name: "A", pinned: true, history: [1] }], theme: "dark" };
  assert.deepEqual(plan(items), { bodies: { a: [1] }, rest: { savedSessions: [{ id: "a", name: "A", pinned: true }], theme: "dark" } });
});

test("an entry without a history stays as it is, and so does an index of another shape", () => {
  const savedSessions = [{ id: "a", name: "A" }, "text", null, { history: "text" }, []];
  assert.deepEqual(plan({ savedSessions }), { bodies: {}, rest: { savedSessions } });
  assert.deepEqual(plan({ savedSessions: "text" }).rest, { savedSessions: "text" });
});

test("an id that is a number becomes text, as in session_<id>", () => {
  assert.deepEqual(plan({ savedSessions: [{ id: 7, name: "A" }], session_7: [1] }), { bodies: { 7: [1] }, rest: { savedSessions: [{ id: "7", name: "A" }] } });
});

test("two bodies of one id are two chats; the same body twice is one", () => {
  const savedSessions = [{ id: "a", history: [1] }, { id: "a", history: [2] }, { id: "b", history: [3] }, { id: "a", history: [2] }];
  const made = plan({ savedSessions, session_a: [9], session_b: [3] });
  assert.deepEqual(made.bodies, { a: [9], b: [3], "a-2": [1], "a-3": [2] });
  assert.deepEqual(made.rest.savedSessions.map((/** @type {any} */ entry) => entry.id), ["a-2", "a-3", "b", "a-3"]);
});

test("an entry without an id gets the same one each time", () => {
  const items = { savedSessions: [{ name: "A", history: [1] }, { name: "B", history: [2] }] };
  assert.deepEqual(plan(items), plan(structuredClone(items)));
  assert.deepEqual(Object.keys(plan(items).bodies), ["legacy-0", "legacy-1"]);
});
