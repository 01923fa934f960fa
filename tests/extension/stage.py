"""One browser for the tests of a file: the panel in a tab, a real host, a model server on loopback."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.browser import model_server
from tests.browser.conftest import Person, choose
from tests.browser.model_server import ModelServer

from tasks import pages, vendor
from tasks.browser import Browser
from tasks.page import Page
from tasks.panel import Panel
from tasks.places import ORIGIN

PANEL = ORIGIN + "panel/panel.html"
PAGE = (
    b"<!doctype html><title>A tide table</title><h1>Tides</h1><p id=high>High water is at noon.</p>"
    b"<p>Low water follows six hours later, as the fishermen of the bay have always known.</p>"
)
CAPTIONS = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello <b>there</b>\n\n01:05.000 --> 01:06.000\nGoodbye\n"
EMPTY = "(box => { box.value = ''; box.dispatchEvent(new Event('input')) })(document.querySelector('#composer-input'))"
EMPTY_CHAT = "!document.querySelector('#welcome').hidden && !document.querySelector('#transcript > *')"
# The tab's own process learns of the permission a moment after the browser's.
GRANTED = """chrome.tabs.query({active: true, currentWindow: true}).then(([tab]) =>
  tab?.url === %s && chrome.scripting.executeScript({target: {tabId: tab.id}, func: () => 1}).then(() => true, () => false))"""
WORDS = ["The ", "light ", "blinks ", "twice."]


def wait_loaded(page: Page, address: str) -> None:
    """Before the icon is clicked: a page that comes to stand there only afterwards takes the permission away with it."""
    there = f"location.href === {json.dumps(address)} && document.readyState === 'complete'"
    page.until(there, what="the page's load")


@dataclass(frozen=True, slots=True)
class Stage:
    """What the tests of a file share."""

    person: Person
    browser: Browser
    model: ModelServer
    panel: Panel
    page: Page | None = None

    def clear(self) -> None:
        """An empty chat and a model that answers at once; what a test left on show is closed."""
        self.model.gate.set()
        self.model.words = list(WORDS)
        self.model.status, self.model.raw, self.model.usage, self.model.thoughts = 200, None, None, []
        self.panel.page.navigate(PANEL)
        self.panel.wait_ready()
        # The focus comes after the draft: what is emptied before that comes back.
        self.panel.page.until("document.activeElement?.id === 'composer-input'", what="the draft of the test before")
        self.panel.page.evaluate(EMPTY)
        self.panel.request("history.clear")
        # The welcome comes when the panel has read the chat: until then it may still show the one from before.
        self.panel.page.until(EMPTY_CHAT, what="an empty chat")

    def turn_to(self, address: str) -> Page:
        """Open a page in front, and click the icon there: the panel beside it may read it."""
        page, _ = self.browser.try_open(address)
        wait_loaded(page, address)
        self.browser.click_icon(page)
        self.panel.page.until(GRANTED % json.dumps(address), what="the permission for the page")
        return page

    def seed(self, messages: list[dict[str, Any]]) -> None:
        """Make these the live conversation, and wait until the panel shows the last."""
        self.panel.request("storage.set", items={"history": messages})
        last = messages[-1]["id"]
        self.panel.page.until(f"document.querySelector('[data-message-id=\"{last}\"]')", what="the last message")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The file's browser; its panel stands in a tab of the size of a side panel."""
    vendor.ensure()
    folder: Path = tmp_path_factory.mktemp("stage")
    home = folder / "home"
    home.mkdir(mode=0o700)
    with ExitStack() as stack, model_server.running() as model:
        person = Person(home, folder / "profiles", stack)
        browser = person.start()
        page = browser.open(PANEL)
        size = {"width": 420, "height": 860, "deviceScaleFactor": 1, "mobile": False}
        page.call("Emulation.setDeviceMetricsOverride", size)
        panel = Panel(page)
        panel.wait_ready()
        choose(panel, model)
        yield Stage(person, browser, model, panel)


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The file's browser; its panel stands beside a page, opened by the icon, so that it may read the page."""
    vendor.ensure()
    folder: Path = tmp_path_factory.mktemp("beside")
    home = folder / "home"
    home.mkdir(mode=0o700)
    files = {"/page": ("text/html", PAGE), "/captions.vtt": ("text/vtt", CAPTIONS)}
    with ExitStack() as stack, model_server.running() as model, pages.serve(files) as (base, _):
        person = Person(home, folder / "profiles", stack)
        browser = person.start()
        page = browser.open(base + "/page")
        panel = Panel(browser.open_panel(page))
        panel.wait_ready()
        choose(panel, model)
        yield Stage(person, browser, model, panel, page)


@pytest.fixture
def panel(stage: Stage) -> Panel:
    """The panel on an empty chat."""
    stage.clear()
    return stage.panel
