import assert from "node:assert/strict";
import test from "node:test";
import { grouped } from "../../extension/panel/chat-groups.js";

const NOON = new Date(2026, 2, 15, 12).getTime();
const HOUR = 3_600_000;

/** @param {string} id @param {number} agoMs @param {object} [fields] */
const chat = (id, agoMs, fields = {}) => ({ id, name: id, createdAt: 0, updatedAt: NOON - agoMs, pinned: false, folder: null, messages: 1, bytes: 1, ...fields });

test("chats stand in the days of the person's calendar, newest first as they came", () => {
  const chats = [chat("a", 0), chat("b", 11 * HOUR), chat("c", 13 * HOUR), chat("d", 37 * HOUR), chat("e", 9 * 24 * HOUR)];
  const found = grouped(chats, NOON).map(({ group, sessions }) => [group, ...sessions.map(({ id }) => id)]);
  assert.deepEqual(found, [["today", "a", "b"], ["yesterday", "c"], ["week", "d"], ["older", "e"]]);
});

test("a pinned chat is at the top whatever its day, also from a folder; other filed ones are in their folders alone", () => {
  const chats = [chat("a", 0, { folder: "f" }), chat("b", 9 * 24 * HOUR, { pinned: true, folder: "f" }), chat("c", 0)];
  const found = grouped(chats, NOON).map(({ group, sessions }) => [group, ...sessions.map(({ id }) => id)]);
  assert.deepEqual(found, [["pinned", "b"], ["today", "c"]]);
});
