import assert from "node:assert/strict";
import test from "node:test";
import { Recall } from "../../extension/panel/recall.js";

const ASKED = ["first", "second"];

/** Press keys one after the other; what stands in the composer at the end. @param {string} start @param {string[]} keys @param {(value: string, key: string) => string} [typed] */
function press(start, keys, typed = (value) => value) {
  const recall = new Recall();
  return keys.reduce((value, key) => recall.key(key, value, ASKED) ?? typed(value, key), start);
}

test("Up goes back through the questions, Down comes forward to nothing", () => {
  assert.equal(press("", ["ArrowUp"]), "second");
  assert.equal(press("", ["ArrowUp", "ArrowUp"]), "first");
  assert.equal(press("", ["ArrowUp", "ArrowUp", "ArrowUp"]), "first");
  assert.equal(press("", ["ArrowUp", "ArrowUp", "ArrowDown"]), "second");
  assert.equal(press("", ["ArrowUp", "ArrowDown"]), "");
});

test("what is being written is never replaced", () => {
  for (const key of ["ArrowUp", "ArrowDown"]) assert.equal(press("half a thought", [key, key]), "half a thought");
});

test("a recalled question that was changed is the person's own again", () => {
  const typed = (/** @type {string} */ value, /** @type {string} */ key) => (key === "x" ? `${value}x` : value);
  assert.equal(press("", ["ArrowUp", "x", "ArrowUp", "ArrowDown"], typed), "secondx");
});
