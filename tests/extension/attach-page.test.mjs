import assert from "node:assert/strict";
import test from "node:test";
import { Texts } from "../../extension/lib/i18n.js";
import { attachPage } from "../../extension/panel/attach-page.js";
import { FakeClock, rejection, settle } from "./fakes.mjs";

const NO_ACCESS = "Cannot access contents of the page. Extension manifest must request permission to access the respective host.";
const PAGE = { ok: true, url: "https://a.example/", title: "A", mode: "readable", text: "text" };

/** A browser whose page opens once the permission is given. */
class World {
  clock = new FakeClock();
  texts = new Texts("en", {});
  granted = false;
  asked = 0;
  /** @type {any[]} */
  stored = [];
  /** @type {Map<string, unknown>} */
  kept = new Map();
  /** @type {() => Promise<boolean>} */
  answer = async () => true;

  get means() {
    return {
      clock: this.clock,
      texts: this.texts,
      area: { get: async (/** @type {string} */ key) => this.kept.get(key), set: async (/** @type {string} */ key, /** @type {unknown} */ value) => void this.kept.set(key, value) },
      host: /** @type {any} */ ({ request: async (/** @type {string} */ method, /** @type {any} */ params) => (this.stored.push([method, params]), { attachId: "x", title: "A", chars: 4 }) }),
      browser: {
        activeTab: async () => ({ id: 1 }),
        isClosedTab: async () => false,
        runInTab: async () => {
          if (!this.granted) throw new Error(NO_ACCESS);
          return PAGE;
        },
        requestSites: async () => {
          this.asked += 1;
          this.granted = await this.answer();
          return this.granted;
        },
      },
    };
  }
}

test("a page that may be read is stored without a question", async () => {
  const world = new World();
  world.granted = true;
  const added = await attachPage(world.means);
  assert.deepEqual([added.attachId, added.url, world.asked], ["x", PAGE.url, 0]);
  assert.deepEqual(world.stored, [["attachments.add", { page: { url: PAGE.url, title: "A", mode: "readable", text: "text" } }]]);
});

test("where the permission is missing the browser asks, and the page is read after a yes", async () => {
  const world = new World();
  await attachPage(world.means);
  assert.deepEqual([world.asked, world.stored.length], [1, 1]);
});

test("after a no the other way is told, and the prompt does not come up by itself again", async () => {
  const world = new World();
  world.answer = async () => false;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const error = await rejection(attachPage(world.means));
    assert.deepEqual([error.message, error.canAsk], ["page_no_access", true]);
  }
  assert.deepEqual([world.asked, world.stored.length], [1, 0]);
  world.answer = async () => true;
  await attachPage(world.means, { ask: true });
  assert.equal(world.asked, 2, "but it does when a person asks for it");
});

test("a prompt that nobody can see is not waited for without end", async () => {
  const world = new World();
  world.answer = () => new Promise(() => {});
  const failed = rejection(attachPage(world.means));
  await settle();
  await world.clock.advance(20_000);
  assert.equal((await failed).message, "page_no_access");
});

test("a page that never answers is given up", async () => {
  const world = new World();
  const { means } = world;
  means.browser.runInTab = () => new Promise(() => {});
  const failed = rejection(attachPage(means));
  await settle();
  await world.clock.advance(60_000);
  assert.equal((await failed).message, "page_slow");
  assert.deepEqual(world.clock.waits, []);
});

test("a problem of the page itself is told as that, without a question", async () => {
  const world = new World();
  const { means } = world;
  means.browser.runInTab = async () => /** @type {any} */ ({ ok: false, problem: "pdf_file" });
  const error = await rejection(attachPage(means));
  assert.deepEqual([error.message, error.canAsk, world.asked], ["page_pdf_file", false, 0]);
});
