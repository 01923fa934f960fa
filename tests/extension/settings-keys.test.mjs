import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { DEFAULTS, GET_ALL_KEYS, OPTIONS_DEFAULTS } from "../../extension/lib/settings-keys.js";

test("getAll reads every key of DEFAULTS but history, and the options page's own", () => {
  const expected = [...Object.keys(DEFAULTS), ...Object.keys(OPTIONS_DEFAULTS)].filter((key) => key !== "history");
  assert.deepEqual([...GET_ALL_KEYS].sort(), expected.sort());
  assert.equal(new Set(GET_ALL_KEYS).size, GET_ALL_KEYS.length);
});

test("no key that can grow large is read by getAll", () => {
  for (const key of ["history", "savedSessions"]) assert.ok(!GET_ALL_KEYS.includes(key));
  assert.ok(!GET_ALL_KEYS.some((key) => key.startsWith("session_")));
});

test("the table in docs/protocol.md is this one", async () => {
  const text = await readFile(new URL("../../docs/protocol.md", import.meta.url), "utf8");
  for (const [key, value] of Object.entries({ ...DEFAULTS, ...OPTIONS_DEFAULTS })) {
    assert.ok(text.includes(key), `${key} is not documented`);
    if (typeof value === "string" && value.length > 10) assert.ok(text.includes(JSON.stringify(value)), `the default of ${key}`);
  }
});
