import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import test from "node:test";
import { Draft } from "../../extension/lib/draft.js";
import { profileId } from "../../extension/lib/profile.js";
import { settle } from "./fakes.mjs";

// Node 18 has it, but not as a global.
globalThis.crypto ??= /** @type {Crypto} */ (webcrypto);

/** An area whose writes end when the test says so. */
class SlowArea {
  /** @type {Map<string, unknown>} */
  kept = new Map();
  /** @type {(() => void)[]} */
  writes = [];

  /** @param {string} key */
  async get(key) {
    return this.kept.get(key);
  }

  /** @param {string} key @param {unknown} value @returns {Promise<void>} */
  set(key, value) {
    return new Promise((resolve) =>
      this.writes.push(() => {
        if (value === undefined) this.kept.delete(key);
        else this.kept.set(key, value);
        resolve();
      }),
    );
  }

  async finishOne() {
    this.writes.shift()?.();
    await settle();
  }
}

test("what is typed is kept at once, and the newest text wins however slow the writes are", async () => {
  const area = new SlowArea();
  const draft = new Draft(area);
  const all = ["a", "ab", "abc", "abcd"].map((text) => draft.keep(text));
  assert.equal(area.writes.length, 1, "the first letter does not wait");
  await area.finishOne();
  assert.equal(area.writes.length, 1, "the letters in between are left out");
  await area.finishOne();
  await Promise.all(all);
  assert.equal(await draft.read(), "abcd");
});

test("an emptied draft leaves nothing behind", async () => {
  const area = new SlowArea();
  const draft = new Draft(area);
  for (const text of ["a", ""]) {
    void draft.keep(text);
    await area.finishOne();
  }
  assert.equal(area.kept.size, 0);
  assert.equal(await draft.read(), "");
});

test("a write that fails does not stop the next one", async () => {
  let fails = true;
  /** @type {unknown[]} */
  const kept = [];
  const area = {
    get: async () => undefined,
    set: async (/** @type {string} */ _key, /** @type {unknown} */ value) => {
      if (fails) throw new Error("quota");
      kept.push(value);
    },
  };
  const draft = new Draft(area);
  await assert.rejects(draft.keep("a"));
  fails = false;
  await draft.keep("ab");
  assert.deepEqual(kept, ["ab"]);
});

test("two first connections make one profile id", async () => {
  const area = new SlowArea();
  const ids = [profileId(area), profileId(area)];
  await settle();
  await area.finishOne();
  const [one, two] = await Promise.all(ids);
  assert.equal(one, two);
  assert.equal(area.kept.get("sidekeepProfile"), one);
  assert.match(String(one), /^[0-9a-f-]{36}$/);
});
