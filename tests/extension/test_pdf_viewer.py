"""A PDF in the browser's own viewer is attached as one that is dropped; where that cannot be, a sentence says what to do."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.extension.stage import Stage, beside
from tests.support import pdf

from tasks import pages
from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["beside"]  # fixture

STATUS = "document.querySelector('#status').textContent"
TIDES = pdf.with_text("High water is at noon.", title="A tide table")
FILES = {
    "/tides.pdf": ("application/pdf", TIDES),
    "/chart.pdf": ("application/pdf", pdf.with_figure(200, 120)),
    "/large.pdf": ("application/pdf", TIDES + b"%" * 20_000_000),
}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with pages.serve(FILES) as (address, _):
        yield address


@pytest.fixture
def panel(beside: Stage) -> Panel:
    """The panel on an empty chat."""
    beside.clear()
    return beside.panel


def test_its_text_is_attached_with_its_address_and_told_apart_from_another(
    beside: Stage, panel: Panel, base: str
) -> None:
    tab = beside.turn_to(base + "/tides.pdf")
    assert panel.attach_page().title == "A tide table"
    panel.press("attach-page")
    panel.page.until(f"{STATUS}.includes('the same')", what="the word that nothing has changed")
    panel.send("When is high water?")
    panel.wait_answer()
    asked = str(beside.model.requests[-1]["messages"])
    assert "High water is at noon." in asked
    assert f"{base}/tides.pdf" in asked
    tab.close()


def test_its_figures_go_along(beside: Stage, panel: Panel, base: str) -> None:
    tab = beside.turn_to(base + "/chart.pdf")
    assert panel.attach_page().title == "chart.pdf"
    panel.send("What is this?")
    panel.wait_answer()
    assert "'type': 'image_url'" in str(beside.model.requests[-1]["messages"])
    tab.close()


def test_one_that_is_too_large_is_refused_in_words(beside: Stage, panel: Panel, base: str) -> None:
    tab = beside.turn_to(base + "/large.pdf")
    panel.press("attach-page")
    assert "over 20 MB" in panel.wait_alert()
    tab.close()


def test_one_that_the_server_does_not_hand_out_again_is_to_be_dropped(beside: Stage, panel: Panel) -> None:
    files = {"/bill.pdf": ("application/pdf", TIDES)}
    with pages.serve(files) as (base, _):
        tab = beside.turn_to(base + "/bill.pdf")
        tab.call("Network.clearBrowserCache")
        files["/bill.pdf"] = ("text/html", b"<title>Log in</title>")
        panel.press("attach-page")
        assert "drop the file on this panel" in panel.wait_alert()
        tab.close()


def test_one_from_this_computer_is_to_be_dropped(beside: Stage, panel: Panel, tmp_path: Path) -> None:
    file = tmp_path / "tides.pdf"
    file.write_bytes(TIDES)
    tab = beside.turn_to(file.as_uri())
    panel.press("attach-page")
    assert "Drop the file on this panel" in panel.wait_alert()
    tab.close()


def test_a_selection_in_it_is_to_be_copied(beside: Stage, panel: Panel, base: str) -> None:
    tab = beside.turn_to(base + "/tides.pdf")
    panel.press("attach-more")
    panel.press("attach-selection")
    assert "Copy it and paste it" in panel.wait_alert()
    tab.close()
