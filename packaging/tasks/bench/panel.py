"""`panel`: opening a chat of 300 messages and 30 pictures in a real browser, and typing in it, beside opening an empty one."""

import json
import tempfile
from pathlib import Path
from typing import Any

from tasks import browsers, manifest, vendor
from tasks.bench.figures import Comparison, Figure, Table, interleaved
from tasks.browser import Browser
from tasks.page import Page
from tasks.panel import Panel
from tasks.places import EXTENSION, ORIGIN

PEER = "open an empty chat"
TEXT = "the newest messages as text"
ALL = "all 300 messages"
PICTURES = "30 pictures (8 MB)"
OPENING = "longest task meanwhile"
TYPING = "longest task while typing"
WORK = "opening a chat of 300 messages and 8 MB of pictures in the panel, and typing in it"
GOALS = (Comparison(TEXT, at_most=150), Comparison(OPENING, at_most=50), Comparison(TYPING, at_most=50))
MESSAGES = 300
ANSWER = (
    "## Part\n\nSome **bold** text with `code` and [a link](https://a.example/).\n\n- one\n- two\n\n"
    "```python\ndef f(x):\n    return x + 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    + "Words of an answer, as they come. "
    * 16
)
# A chat of which every tenth message has a picture that compresses badly, 270 KB each.
FILL = """(async () => {
  const picture = () => {
    const canvas = Object.assign(document.createElement("canvas"), {width: 300, height: 220});
    const context = canvas.getContext("2d");
    const image = context.createImageData(300, 220);
    for (let at = 0; at < image.data.length; at += 4) {
      for (let channel = 0; channel < 3; channel += 1) image.data[at + channel] = Math.random() * 255;
      image.data[at + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return canvas.toDataURL("image/png");
  };
  const messages = Array.from({length: %d}, (_, number) => {
    const role = number %% 2 ? "assistant" : "user";
    const text = role === "assistant" ? %s : `Question ${number}?`;
    const content = number %% 10 ? text : [{type: "text", text}, {type: "image_url", image_url: {url: picture()}}];
    return {id: `m${number}`, role, content, createdAt: number};
  });
  const port = chrome.runtime.connect({name: "sidekeep"});
  await new Promise((resolve, reject) => {
    port.onMessage.addListener(({id, error}) => id === 1 && (error ? reject(new Error(error.message)) : resolve()));
    port.postMessage({id: 1, method: "storage.set", params: {items: {history: messages}}});
  });
  port.disconnect();
})()"""
# Looks at every frame; times are from when the page began to load.
WATCH = """
window.seen = {tasks: []};
new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map(({duration}) => duration)))
  .observe({entryTypes: ["longtask"]});
const look = () => {
  const now = performance.now();
  if (document.documentElement.dataset.state === "ready") seen.ready ??= now;
  const articles = document.querySelectorAll("#transcript article").length;
  if (articles > 0) seen.text ??= now;
  if (articles >= %d) seen.all ??= now;
  if (document.querySelectorAll(".pictures img").length >= 30) seen.pictures ??= now;
  requestAnimationFrame(look);
};
document.addEventListener("DOMContentLoaded", look);
"""


def measure(runs: int) -> Table:
    """The medians of `runs` openings each, the worker being up. Raises TaskError."""
    vendor.ensure()
    with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
        environment = {"SIDEKEEP_HOME": folder}
        profile = Path(folder) / "profile"
        with Browser(
            browsers.find(None), EXTENSION, headless=True, profile=profile, environment=environment
        ) as browser:
            manifest.install(browser.profile)
            browser.start()
            samples = interleaved(_works(browser), min(runs, 10))
    figures = tuple(Figure(name, samples[name]) for name in (TEXT, ALL, PICTURES, OPENING, TYPING))
    return Table("panel", WORK, Figure(PEER, samples[PEER]), figures, GOALS)


def _works(browser: Browser) -> dict[str, Any]:
    page = browser.open(ORIGIN + "panel/panel.html")
    panel = Panel(page)
    panel.wait_ready()
    page.call("Page.enable")
    page.call("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH % MESSAGES})

    def empty() -> dict[str, float]:
        panel.request("storage.set", items={"history": []})
        return {PEER: _opened(page, "seen.ready")["ready"]}

    def full() -> dict[str, float]:
        page.evaluate(FILL % (MESSAGES, json.dumps(ANSWER)))
        seen = _opened(page, "seen.pictures && document.querySelectorAll('article strong').length >= 150 && seen")
        return {
            TEXT: seen["text"],
            ALL: seen["all"],
            PICTURES: seen["pictures"],
            OPENING: _longest(seen),
            TYPING: _typed(page),
        }

    return {"empty": empty, "full": full}


def _opened(page: Page, settled: str) -> dict[str, Any]:
    page.navigate(ORIGIN + "panel/panel.html")
    page.until(f"window.seen && {settled}", what="the open chat", timeout_s=60)
    seen: dict[str, Any] = page.evaluate("seen")
    return seen


def _typed(page: Page) -> float:
    page.click("#composer-input")
    page.evaluate("seen.tasks.length = 0")
    for letter in "the quick brown fox":
        page.call("Input.dispatchKeyEvent", {"type": "char", "text": letter})
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))")
    return _longest(page.evaluate("seen"))


def _longest(seen: dict[str, Any]) -> float:
    """The longest task in ms; the browser tells of those over 50."""
    return float(max(seen["tasks"], default=0))
