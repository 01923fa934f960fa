import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

const EXTENSION = new URL("../../extension/", import.meta.url);

/** Every module that a module needs before it runs, itself too. @param {string} entry @param {Set<string>} [seen] */
async function needed(entry, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const source = await readFile(new URL(entry, EXTENSION), "utf8").catch(() => "");
  for (const [, from] of source.matchAll(/^import\b[^;]*?"(\.[^"]+)";/gm)) {
    await needed(new URL(from ?? "", new URL(entry, EXTENSION)).href.replace(EXTENSION.href, ""), seen);
  }
  return seen;
}

test("a chat's text needs none of what a person does in the panel", async () => {
  const modules = new Set();
  for (const entry of ["panel/opening.js", "panel/transcript.js", "lib/dressing.js", "lib/icons.js"]) await needed(entry, modules);
  assert.ok(modules.has("vendor/marked.js"), "imports are followed");
  for (const later of ["panel/app.js", "panel/composer.js", "panel/attaching.js", "panel/chats.js"]) assert.ok(!modules.has(later), later);
});

test("the drawer is loaded when it is opened, not with the panel", async () => {
  const modules = await needed("panel/app.js");
  assert.ok(modules.has("panel/composer.js"), "imports are followed");
  assert.ok(!modules.has("panel/chats.js"));
});
