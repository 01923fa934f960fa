import assert from "node:assert/strict";
import test from "node:test";
import { AttachQueue } from "../../extension/panel/attach-queue.js";

/** A queue, and attempts that end when the test says so. */
class World {
  begun = 0;
  /** @type {string[]} */
  ran = [];
  queue = new AttachQueue(() => (this.begun += 1));

  /** @param {string} name */
  attempt(name) {
    /** @type {(well: boolean) => void} */
    let end = () => {};
    /** @type {Promise<boolean>} */
    const ended = new Promise((resolve) => (end = resolve));
    return { run: () => (this.ran.push(name), ended), end };
  }
}

test("what is brought while something is attached comes next, and nothing is passed over", async () => {
  const world = new World();
  const [page, file] = [world.attempt("page"), world.attempt("file")];
  const all = Promise.all([world.queue.click(page.run), world.queue.inTurn(file.run)]);
  page.end(true);
  file.end(true);
  await all;
  assert.deepEqual([world.ran, world.begun], [["page", "file"], 2]);
});

test("a button that is pressed again while it works is pressed once", async () => {
  const world = new World();
  const page = world.attempt("page");
  const first = world.queue.click(page.run);
  await world.queue.click(page.run);
  page.end(true);
  await first;
  assert.deepEqual(world.ran, ["page"]);
});

test("a question waits for all that is on its way, and hears of any of it that failed", async () => {
  const world = new World();
  const [bad, good] = [world.attempt("bad"), world.attempt("good")];
  const all = Promise.all([world.queue.inTurn(bad.run), world.queue.inTurn(good.run)]);
  const settled = world.queue.settled();
  bad.end(false);
  good.end(true);
  assert.equal(await settled, false);
  await all;
  assert.equal(await world.queue.settled(), true, "what failed before was told before");
});
