"""Two windows, each with its own panel: each attaches its own page, and both show one conversation."""

import json
from collections.abc import Iterator

import pytest
from tests.extension.stage import Stage, beside, wait_loaded

from tasks import pages
from tasks.page import Page
from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["beside"]  # fixture

STOP = "document.querySelector('[data-action=stop]').hidden"


@pytest.fixture
def second(beside: Stage) -> Iterator[Panel]:
    """The panel of a second window, beside another page; the first one's chat is empty."""
    beside.clear()
    with pages.serve({"/second": ("text/html", b"<title>Second</title><p>The second page.</p>")}) as (base, _):
        address = base + "/second"
        beside.panel.page.evaluate(f"void chrome.windows.create({{url: {json.dumps(address)}}})")
        target = beside.browser.connection.wait_target(
            lambda info: bool(info["type"] == "page" and info["url"] == address), what="the window", timeout_s=60
        )
        page = Page(beside.browser.connection, target["targetId"])
        wait_loaded(page, address)
        panel = Panel(beside.browser.open_panel(page))
        panel.wait_ready()
        yield panel
        page.close()


def test_each_window_attaches_its_own_page_and_both_show_what_is_attached(beside: Stage, second: Panel) -> None:
    assert second.attach_page().title == "Second"
    first = beside.panel
    first.page.until("document.querySelector('[data-title=Second]')", what="the chip in the first window")
    first.press("attach-page")
    titles = "[...document.querySelectorAll('#chips .title')].map((title) => title.textContent).join()"
    for panel in (first, second):
        panel.page.until(f"{titles} === 'Second,A tide table'", what="both chips")
    second.page.click("#chips li:first-child [data-action=remove-attachment]")
    first.page.until(f"{titles} === 'A tide table'", what="one chip less, there too")


def test_an_answer_grows_in_both_windows_and_either_can_stop_it(beside: Stage, second: Panel) -> None:
    beside.model.gate.clear()
    beside.panel.send("Asked in the first")
    second.wait_shown("assistant", "light")
    second.page.until(f"!{STOP}", what="the button")
    second.press("stop")
    for panel in (beside.panel, second):
        panel.page.until(f"{STOP} && document.querySelector('article[data-interrupted=true]')", what="the end")
    beside.model.gate.set()
    second.send("Asked in the second")
    second.wait_answer()
    beside.panel.wait_shown("assistant", beside.model.answer)
    stored = second.request("history.get", pixels="none")["messages"]
    assert [one["role"] for one in stored] == ["user", "assistant", "user", "assistant"]
