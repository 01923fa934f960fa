"""Who may speak with the worker, and what the panel may load: tried from a page, a content script, another extension."""

import json
from pathlib import Path

import pytest
from tests.extension.stage import Stage, beside
from tests.extension.test_page_text import PNG

from tasks import pages
from tasks.page import Page
from tasks.panel import Panel
from tasks.places import EXTENSION, EXTENSION_ID, ORIGIN

pytestmark = pytest.mark.browser
__all__ = ["beside"]  # fixture

# Asks for the keys of the area as a page of the extension would; what came back, or how it ended.
KNOCK = """((connect) => new Promise((done) => {
  try {
    const port = connect();
    port.onMessage.addListener((message) => done(`told ${JSON.stringify(message)}`));
    port.onDisconnect.addListener(() => done("hung up"));
    port.postMessage({id: 1, method: "storage.getKeys", params: {}});
  } catch (error) {
    done("refused");
  }
}))"""
IN_THE_PAGE = """async () => {
  const [tab] = await chrome.tabs.query({active: true, currentWindow: true});
  const func = () => new Promise((done) => {
    const port = chrome.runtime.connect({name: "sidekeep"});
    port.onMessage.addListener((message) => done(`told ${JSON.stringify(message)}`));
    port.onDisconnect.addListener(() => done("hung up"));
    port.postMessage({id: 1, method: "storage.getKeys", params: {}});
  });
  const [{result}] = await chrome.scripting.executeScript({target: {tabId: tab.id}, func});
  return result;
}"""
# Each gives 1 where it is let through. What the debugger itself runs may make code of text, so that one comes later.
FORBIDDEN = {
    "a script written into the page": """(() => {
      document.head.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}));
      return window.ran ?? 0;
    })()""",
    "text run as a script": """new Promise((done) => setTimeout(() => {
      try { done(Function('return 1')()); } catch { done(0); }
    }))""",
    "a connection to a server": "fetch('%s/dot.png', {mode: 'no-cors'}).then(() => 1, () => 0)",
    "a picture from a server": """new Promise((done) => {
      Object.assign(new Image(), {onload: () => done(1), onerror: () => done(0), src: '%s/dot.png'});
    })""",
    "a frame": """new Promise((done) => {
      const frame = Object.assign(document.createElement('iframe'), {src: '%s/frame', onload: () => done(1)});
      document.addEventListener('securitypolicyviolation', () => done(0), {once: true});
      document.body.append(frame);
    })""",
}


@pytest.fixture
def panel(beside: Stage) -> Panel:
    """The panel beside the page, on an empty chat."""
    beside.clear()
    return beside.panel


def page_beside(stage: Stage) -> Page:
    assert stage.page is not None
    return stage.page


def test_a_web_page_reaches_neither_the_worker_nor_the_extensions_files(beside: Stage, panel: Panel) -> None:
    page = page_beside(beside)
    knock = f"{KNOCK}(() => chrome.runtime.connect('{EXTENSION_ID}', {{name: 'sidekeep'}}))"
    assert page.evaluate(knock) == "refused", "a page has no such function"
    assert page.evaluate(f"fetch('{ORIGIN}panel/panel.html').then(() => 'read', () => 'refused')") == "refused"


def test_what_runs_in_a_page_is_hung_up_on(beside: Stage, panel: Panel) -> None:
    assert panel.page.evaluate(f"({IN_THE_PAGE})()") == "hung up"


def test_another_extension_is_hung_up_on(beside: Stage, tmp_path: Path) -> None:
    manifest = {"manifest_version": 3, "name": "Other", "version": "1"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (tmp_path / "page.html").write_text("<!doctype html><title>Other</title>", encoding="utf-8")
    other = beside.browser.connection.call("Extensions.loadUnpacked", {"path": str(tmp_path)})["id"]
    page = beside.browser.open(f"chrome-extension://{other}/page.html")
    for name in ("sidekeep", ""):
        knock = f"{KNOCK}(() => chrome.runtime.connect('{EXTENSION_ID}', {{name: '{name}'}}))"
        assert page.evaluate(knock) == "hung up"
    told = (
        f"chrome.runtime.sendMessage('{EXTENSION_ID}', {{id: 1, method: 'ping'}}).then(() => 'told', () => 'refused')"
    )
    assert page.evaluate(told) == "refused"
    page.close()


@pytest.mark.parametrize("attempt", list(FORBIDDEN.values()), ids=list(FORBIDDEN))
def test_the_panels_policy_forbids_what_nothing_needs(panel: Panel, attempt: str) -> None:
    with pages.serve({"/dot.png": ("image/png", PNG), "/frame": ("text/html", b"")}) as (base, _):
        assert panel.page.evaluate(attempt.replace("%s", base)) == 0


def test_the_policy_has_nothing_unsafe_in_it() -> None:
    policy = json.loads((EXTENSION / "manifest.json").read_text("utf-8"))["content_security_policy"]["extension_pages"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert {rules[name] for name in ("script-src", "style-src", "connect-src", "font-src")} == {"'self'"}
    assert "unsafe" not in policy
    assert "http" not in policy
