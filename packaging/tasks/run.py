"""`run`: a browser with the extension loaded, the panel open, and a question asked about the page."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks import browsers, manifest, pages, weights
from tasks.browser import Browser, needs_no_sandbox
from tasks.browsers import Program
from tasks.cdp import CdpClosedError, CdpError
from tasks.panel import Chip, Panel
from tasks.places import ARTICLE, EXTENSION, data_home
from tasks.say import TaskError, say, step
from tasks.setup import setup

QUESTION = "What is this page about?"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person asked of `run`."""

    browser: str | None = None
    profile: Path | None = None
    page: str | None = None
    ask: str | None = None
    headless: bool = False
    as_json: bool = False


def run(wish: Wish) -> None:
    """Set up, start the browser, open the panel; without a screen, do the main job and end. Raises TaskError."""
    program = browsers.find(wish.browser)
    setup()
    headless = wish.headless or not has_display()
    if headless and not wish.headless:
        say("There is no display: running headless.")
    with pages.served(wish.page or str(ARTICLE)) as url, started(program, wish, headless=headless) as browser:
        page = browser.open(url)
        panel = Panel(browser.open_panel(page))
        if headless:
            ask(panel, wish.ask or QUESTION, as_json=wish.as_json)
            return
        if wish.ask:
            ask(panel, wish.ask, as_json=wish.as_json)
        say("The panel is open beside the page. Close the browser or press Ctrl-C to end.")
        browser.connection.wait_closed()


def has_display() -> bool:
    """Whether a window could be shown."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextlib.contextmanager
def started(program: Program, wish: Wish, *, headless: bool, extension: Path = EXTENSION) -> Iterator[Browser]:
    """A browser with the extension and its host, for the block. Raises TaskError."""
    home = data_home()
    weights.share_with(home)
    say(f"Starting {program.name} {program.major or ''}".rstrip() + ":")
    step("Store", str(home))
    step("Profile", str(wish.profile or "a fresh one, removed afterwards"))
    if needs_no_sandbox():
        step("Sandbox", "off (--no-sandbox), because the browser refuses to run as root with it")
    profile = wish.profile.absolute() if wish.profile else None
    environment = {"SIDEKEEP_HOME": str(home)}
    with Browser(program, extension, headless=headless, profile=profile, environment=environment) as browser:
        manifest.install(browser.profile)
        browser.start()
        try:
            yield browser
        except CdpClosedError as exc:
            raise TaskError(f"The browser ended too early: {browser.process.last_words()}") from exc
        except CdpError as exc:
            raise TaskError(f"The browser did not do what was asked: {exc}.") from exc


def ask(panel: Panel, question: str, *, as_json: bool) -> None:
    """The main job: attach the page, ask, print the answer as it streams. Raises TaskError."""
    panel.wait_ready()
    chip = panel.attach_page()
    say(f"Attached “{chip.title}” ({chip.chars} characters). Asking: {question}")
    first_token_ms = _stream(panel, question)
    report = _report(panel, chip, first_token_ms)
    if as_json:
        print(json.dumps(report, ensure_ascii=False), flush=True)


def _stream(panel: Panel, question: str) -> int:
    """Send the question and print what the panel renders; the time to the first text, in ms."""
    started_s = time.monotonic()
    first_s = None
    printed = ""
    panel.send(question)
    for answer in panel.answers():
        if answer.text and first_s is None:
            first_s = time.monotonic()
        if answer.text.startswith(printed):
            print(answer.text[len(printed) :], end="", flush=True)
            printed = answer.text
    print(flush=True)
    if answer.text != printed:  # Markdown that closed late changed what had been shown
        print(f"\n{answer.text}", flush=True)
    if first_s is None:
        raise TaskError("The model ended its answer without a word: ask again, or choose another model.")
    return round((first_s - started_s) * 1000)


def _report(panel: Panel, chip: Chip, first_token_ms: int) -> dict[str, Any]:
    """The object of --json; the answer is read back from the store, where it must be by now."""
    messages = panel.request("history.get", pixels="none")["messages"]
    last = messages[-1]
    if last["role"] != "assistant":
        raise TaskError("The answer was shown but is not in the store: please report this.")
    return {
        "ok": True,
        "answer": _text(last["content"]),
        "provider": last.get("provider", ""),
        "model": last.get("model", ""),
        "page": {"title": chip.title, "chars": chip.chars},
        "store": str(data_home() / "sidekeep.sqlite3"),
        "messages": len(messages),
        "first_token_ms": first_token_ms,
    }


def _text(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")
