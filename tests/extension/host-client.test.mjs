import assert from "node:assert/strict";
import test from "node:test";
import { HostClient } from "../../extension/lib/host-client.js";
import { patienceMs } from "../../extension/lib/pending.js";
import { FakeClock } from "./fakes.mjs";

const PORT = { postMessage() {}, disconnect() {}, onMessage: { addListener() {} }, onDisconnect: { addListener() {} } };
const MINUTE_MS = 60_000;

test("what takes a model's time or a file's is waited for", () => {
  for (const method of ["sessions.compact", "backups.make", "transfer.commit", "transfer.export"]) assert.ok(patienceMs(method) >= 15 * MINUTE_MS, method);
  assert.ok(patienceMs("sessions.list") <= MINUTE_MS);
});

test("a page waits longer than the worker, whose error says more", () => {
  for (const method of /** @type {const} */ (["status", "turn.send", "transfer.commit"])) {
    const clock = new FakeClock();
    void new HostClient({ connect: () => PORT, clock }).request(method).catch(() => {});
    assert.ok(/** @type {number} */ (clock.waits[0]) > patienceMs(method) + MINUTE_MS, method);
  }
});
