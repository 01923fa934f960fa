import assert from "node:assert/strict";
import test from "node:test";
import { problemOfAddress, problemOfRefusal, readPage } from "../../extension/lib/page-reader.js";

for (const [url, problem] of /** @type {const} */ ([
  ["chrome://version/", "browser_page"],
  ["edge://settings", "browser_page"],
  ["about:blank", "browser_page"],
  ["chrome-extension://abc/x.html", "browser_page"],
  ["view-source:https://a.example/", "view_source"],
  ["https://chromewebstore.google.com/detail/x", "store"],
  ["https://chrome.google.com/webstore/detail/x", "store"],
  ["https://microsoftedge.microsoft.com/addons/detail/x", "store"],
  ["https://chromewebstore.google.com.evil.example/", null],
  ["https://a.example/?u=chrome://version", null],
  ["file:///tmp/a.html", null],
  ["", null],
])) {
  test(`the address ${url || "(unknown)"} is ${problem ?? "tried"}`, () => assert.equal(problemOfAddress(url), problem));
}

// Chromium's own texts.
for (const [said, url, problem] of /** @type {const} */ ([
  ["Cannot access a chrome:// URL", "", "browser_page"],
  ["Cannot access a chrome-extension:// URL of different extension", "", "browser_page"],
  ["The extensions gallery cannot be scripted.", "", "store"],
  ["Cannot access contents of the page. Extension manifest must request permission to access the respective host.", "", "no_access"],
  ['Cannot access contents of url "https://a.example/". Extension manifest must request permission to access this host.', "", "no_access"],
  ['Cannot access contents of url "file:///tmp/a.html". Extension manifest must request permission to access this host.', "file:///tmp/a.html", "file"],
  ["Cannot access contents of the page. Extension manifest must request permission to access the respective host.", "file:///tmp/a.pdf", "pdf_file"],
  ["Frame with ID 0 is showing error page", "", "error_page"],
  ["Frame with ID 0 was removed.", "", "gone"],
  ["No tab with id: 5", "", "gone"],
  ["The tab was closed.", "", "gone"],
  ["This page cannot be scripted due to an ExtensionsSettings policy.", "", "policy"],
  ["Something new", "", "failed"],
])) {
  test(`the refusal “${said.slice(0, 60)}” is understood as ${problem}`, () => assert.equal(problemOfRefusal(said, url), problem));
}

test("a page that is known to be closed to extensions is not even tried", async () => {
  const browser = { activeTab: async () => ({ id: 1, url: "chrome://flags" }), runInTab: () => assert.fail("it was tried"), isClosedTab: async () => false };
  assert.deepEqual(await readPage(browser), { ok: false, problem: "browser_page" });
});

test("a window without a tab is told", async () => {
  assert.deepEqual(await readPage({ activeTab: async () => undefined, runInTab: async () => null, isClosedTab: async () => false }), { ok: false, problem: "no_tab" });
});

test("a script that ends without a result is a failure, not an empty page", async () => {
  assert.deepEqual(await readPage({ activeTab: async () => ({ id: 1 }), runInTab: async () => null, isClosedTab: async () => false }), { ok: false, problem: "failed" });
});

test("a page that the icon's click did not open is told apart from one that was not clicked on", async () => {
  const refuses = async () => {
    throw new Error("Cannot access contents of the page. Extension manifest must request permission to access the respective host.");
  };
  for (const closed of [true, false]) {
    const page = await readPage({ activeTab: async () => ({ id: 1 }), runInTab: refuses, isClosedTab: async () => closed });
    assert.deepEqual(page, { ok: false, problem: closed ? "closed" : "no_access" });
  }
});
