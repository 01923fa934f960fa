"""Narrow panels, and panels that are zoomed in on: nothing is wider than the window, and every button can be hit."""

from collections.abc import Iterator

import pytest
from tests.extension.stage import Stage, stage
from tests.extension.test_accessibility import RICH
from tests.extension.test_conversation_view import message

from tasks.page import Page
from tasks.places import ORIGIN

pytestmark = pytest.mark.browser
__all__ = ["stage"]  # fixture

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
WIDE = "[...document.querySelectorAll('body, body *')].filter((one) => one.checkVisibility() && !one.closest(%s))"
# What scrolls by itself, and what only a screen reader meets, may be as wide as it is.
APART = "'.hidden, pre, .table-scroller, .formula, .title, .katex'"
OUTSIDE = f"""{WIDE % APART}
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.outerHTML.slice(0, 120))"""
# A box to tick is 18 px and has its margin around it.
SMALL = """[...document.querySelectorAll('button, select, input')].filter((one) => one.checkVisibility())
  .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 120)])
  .filter(([box]) => box.width && (box.width < 24 || box.height < 24) && Math.max(box.width, box.height) !== 18)
  .map(([, html]) => html)"""


def resize(page: Page, width: int) -> None:
    size = {"width": width, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", size)
    page.until(f"innerWidth === {width}", what="the new width")


@pytest.fixture
def talk(stage: Stage) -> Iterator[Page]:
    """A chat with long words, a folder, and an attachment that waits."""
    stage.clear()
    page = stage.panel.page
    stage.panel.request("folders.create", name=LONG[:70])
    stage.seed([message(1, "user", LONG), message(2, "assistant", f"{RICH}\n\n{LONG}", provider="test", model=LONG)])
    stage.panel.request("sessions.save", name=LONG[:70])
    stage.panel.request("attachments.add", page={"url": "", "title": LONG, "mode": "paste", "text": LONG})
    page.until("document.querySelector('.chip')", what="the attachment")
    yield page
    resize(page, 420)


@pytest.mark.parametrize("width", [200, 320, 800])
def test_nothing_is_wider_than_the_panel(stage: Stage, talk: Page, width: int) -> None:
    resize(talk, width)
    assert talk.evaluate(OUTSIDE) == []
    assert talk.evaluate(SMALL) == []
    stage.panel.press("chats")
    talk.until("document.querySelector('#chats-list [data-session-id]')", what="the chats")
    stage.panel.press("choose-chats")
    talk.until("document.querySelector('[data-action=choose-chat]')", what="the boxes")
    assert talk.evaluate(OUTSIDE) == []
    assert talk.evaluate(SMALL) == []


@pytest.mark.parametrize("width", [320, 800])
def test_nothing_is_wider_than_the_settings_page(stage: Stage, width: int) -> None:
    page = stage.browser.open(ORIGIN + "options/options.html")
    page.until("document.querySelector('#data-facts dd')", what="the settings")
    resize(page, width)
    assert page.evaluate(OUTSIDE) == []
    page.close()
