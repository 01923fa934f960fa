"""Pages that are built to hurt: attached in bounded time and size, with what was left out said, and nothing of them runs."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.extension.stage import Stage, beside
from tests.extension.test_markdown import requests_of

from tasks import pages
from tasks.panel import Panel
from tasks.places import ORIGIN

pytestmark = pytest.mark.browser
__all__ = ["beside"]  # fixture

STATUS = "document.querySelector('#status').textContent"
MAX_CHARS = 6_000_000
LEAK = "http://127.0.0.1:9/leak.png"
SCRIPT = f"<img src={LEAK} onerror=window.ran=1><script>window.ran=1</script>"
ESCAPED = SCRIPT.replace("<", "&lt;")
MARKDOWN = f"![x]({LEAK}) [y](javascript:window.ran=1)"


@dataclass(frozen=True)
class Case:
    """A page's body, a piece of its text that must arrive, and how much is left out of it."""

    body: str
    said: str
    left_out: int = 0


CASES = {
    "ten megabytes of text": Case("<p>" + "0123456789" * 1_000_000, said="0123456789" * 3, left_out=4_000_000),
    "a hundred thousand elements": Case("<b>w</b> " * 100_000, said="w w w"),
    "blanks that are kept": Case("<p>a" + "&nbsp;" * 300_000 + "z</p>", said="a"),
    "blanks in code": Case("<article><pre>a" + " " * 300_000 + "z</pre></article>", said="z"),
    "lists in lists without end": Case("<ul><li>" * 500 + "<p>deep</p>" * 5_000, said="deep"),
    "backticks without end": Case("<article><pre>" + "` " * 300_000 + "end</pre></article>", said="end"),
}  # fmt: skip
FIELDS = f"""<!doctype html><title>{ESCAPED}</title><base href="javascript:window.ran=1//">
<meta name=author content="{ESCAPED}"><meta property=og:title content='{ESCAPED}'>
<article><h1>{ESCAPED}</h1><p>{ESCAPED} {MARKDOWN}</p><a href="javascript:window.ran=1">{ESCAPED}</a>
<img alt='{ESCAPED}' src=data:x><code>{ESCAPED}</code><pre class='language-x"><img/src=x>'>{ESCAPED}</pre>
<table><tr><th>{ESCAPED}<th>b<tr><td>{ESCAPED}<td>d</table></article>"""


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    files = {f"/{name}": ("text/html", f"<title>{name}</title>{case.body}".encode()) for name, case in CASES.items()}
    files["/title"] = ("text/html", b"<title>" + b"long " * 200_000 + b"</title><p>Some words")
    files["/fields"] = ("text/html; charset=utf-8", FIELDS.encode())
    with pages.serve(files) as (address, _):
        yield address


@pytest.fixture
def panel(beside: Stage) -> Panel:
    """The panel on an empty chat."""
    beside.clear()
    return beside.panel


@pytest.mark.parametrize("name", list(CASES))
def test_it_is_attached_within_its_bounds_and_says_what_is_left_out(
    beside: Stage, panel: Panel, base: str, name: str
) -> None:
    case = CASES[name]
    tab = beside.turn_to(f"{base}/{name.replace(' ', '%20')}")
    panel.attach_page()
    if case.left_out:
        panel.page.until(f"{STATUS}.includes('{case.left_out:,} characters')", what="the word of it")
    (message,) = panel.request("history.get", pixels="none")["messages"]
    assert case.said in message["content"]
    assert len(message["content"]) < MAX_CHARS + 1_000
    assert ("characters were left out.]" in message["content"]) is (case.left_out > 0)
    tab.close()


def test_a_title_without_end_is_cut(beside: Stage, panel: Panel, base: str) -> None:
    tab = beside.turn_to(base + "/title")
    assert len(panel.attach_page().title) <= 500
    tab.close()


def test_script_in_every_field_is_text_in_the_panel_and_loads_nothing(beside: Stage, panel: Panel, base: str) -> None:
    tab = beside.turn_to(base + "/fields?%22%3E%3Cscript%3Ewindow.ran=1%3C/script%3E")
    with requests_of(panel.page) as asked:
        assert panel.attach_page().title == SCRIPT
        panel.press("inspect-attachment")
        shown = panel.page.until("document.querySelector('#inspect pre')?.textContent", what="what is attached")
        assert SCRIPT in shown
        panel.page.evaluate("document.querySelector('#inspect').close()")
        beside.model.words = [shown[at : at + 500] for at in range(0, len(shown), 500)]
        panel.send("Say it all")
        panel.wait_answer()
    assert [url for url in asked if not url.startswith((ORIGIN, "data:"))] == []
    assert panel.page.evaluate("window.ran") is None
    assert panel.page.evaluate("document.querySelectorAll('img[src], iframe, #transcript script').length") == 0
    hrefs = panel.page.evaluate("[...document.querySelectorAll('a[href]')].map((link) => link.href)")
    assert all(href.startswith(("http:", "https:")) for href in hrefs)
    tab.close()
