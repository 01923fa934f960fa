/** Who may speak to the worker: this extension's own pages, whatever the browser lets through. */

import assert from "node:assert/strict";
import { test } from "node:test";

const OWN = "chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklm/";

/** @type {(port: any) => void} */
let connect = () => {};
Object.assign(globalThis, {
  chrome: {
    runtime: {
      id: "hodbpabemnndpbbmcjdinhofnnepgklm",
      getURL: (/** @type {string} */ path) => OWN + path,
      onConnect: { addListener: (/** @type {(port: any) => void} */ listener) => (connect = listener) },
    },
  },
});

/** @type {[string, any, boolean][]} what connects, its port, whether it is joined */
const CASES = [
  ["the panel", { name: "sidekeep", sender: { id: "hodbpabemnndpbbmcjdinhofnnepgklm", url: `${OWN}panel/panel.html` } }, true],
  ["a script in a web page", { name: "sidekeep", sender: { id: "hodbpabemnndpbbmcjdinhofnnepgklm", url: "https://evil.example/" } }, false],
  ["a page whose address looks like ours", { name: "sidekeep", sender: { id: "hodbpabemnndpbbmcjdinhofnnepgklm", url: `https://evil.example/?${OWN}` } }, false],
  ["another extension", { name: "sidekeep", sender: { id: "a".repeat(32), url: `${OWN}panel/panel.html` } }, false],
  ["an extension with an id that begins like ours", { name: "sidekeep", sender: { id: "a".repeat(32), url: "chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklmx/" } }, false],
  ["a port of another name", { name: "other", sender: { id: "hodbpabemnndpbbmcjdinhofnnepgklm", url: `${OWN}panel/panel.html` } }, false],
  ["nobody", { name: "sidekeep" }, false],
];

for (const [who, port, isJoined] of CASES) {
  test(`${who} is ${isJoined ? "joined" : "sent away"}`, async () => {
    const { onPageConnect } = await import("../../extension/lib/chrome.js");
    /** @type {any[]} */
    const joined = [];
    let gone = false;
    onPageConnect((page) => joined.push(page));
    connect({ ...port, disconnect: () => (gone = true) });
    assert.deepEqual([joined.length, gone], isJoined ? [1, false] : [0, true]);
  });
}
