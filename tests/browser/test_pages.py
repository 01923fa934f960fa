"""Pages that are hard to read, or cannot be read: a sentence, and the panel goes on."""

import pytest
from tests.browser.conftest import Person, choose, shot
from tests.browser.model_server import ModelServer

from tasks import pages
from tasks.panel import Panel
from tasks.say import TaskError

PARAGRAPH = b"<p>The harbour lay quiet, and the light went round and round above the grey water of the bay.</p>\n"
PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
"""
FILES = {
    "/empty.html": ("text/html", b"<!doctype html><title>Nothing</title>"),
    "/big.html": ("text/html", b"<!doctype html><title>Big</title><article>" + PARAGRAPH * 55_000 + b"</article>"),
    "/paper.pdf": ("application/pdf", PDF),
}
UNREADABLE = {
    "a page of the browser": ("chrome://version/", "page of the browser itself"),
    "an empty page": ("/empty.html", "no readable text"),
    "a damaged PDF": ("/paper.pdf", "seems to be damaged"),
}


@pytest.mark.parametrize(("address", "said"), list(UNREADABLE.values()), ids=list(UNREADABLE))
def test_a_page_that_cannot_be_read_is_told_and_the_panel_goes_on(
    person: Person, model: ModelServer, address: str, said: str, request: pytest.FixtureRequest
) -> None:
    with pages.serve(FILES) as (base, _):
        panel = person.open(address if ":" in address else base + address)
        choose(panel, model)
        with pytest.raises(TaskError, match=said):
            panel.attach_page()
        shot(panel, request.node.callspec.id)
        panel.send("Never mind the page.")
        panel.wait_shown("assistant", model.answer)


def test_a_page_of_five_megabytes_is_attached_and_sent(person: Person, model: ModelServer) -> None:
    assert len(FILES["/big.html"][1]) > 5_000_000
    with pages.serve(FILES) as (base, _):
        panel = person.open(base + "/big.html")
        choose(panel, model)
        chip = panel.attach_page()
        assert chip.title == "Big"
        assert chip.chars > 1000
        panel.send("Long, isn't it?")
        panel.wait_shown("assistant", model.answer)


def test_an_attachment_is_taken_off_again(person: Person, article: str) -> None:
    panel = person.open(article)
    panel.attach_page()
    panel.press("remove-attachment")
    panel.page.until("!document.querySelector('[data-attachment-id]')", what="the chip's going")
    messages = panel.request("history.get", pixels="none")["messages"]
    assert messages == []


def test_a_click_in_the_panel_alone_does_not_read_another_site(person: Person, article: str) -> None:
    browser = person.start()
    page = browser.open(article)
    panel = Panel(browser.open_panel(page))
    panel.wait_ready()
    with pages.serve({"/other.html": ("text/html", b"<title>Other</title><p>Elsewhere</p>")}) as (base, _):
        page.navigate(base.replace("127.0.0.1", "localhost") + "/other.html")
        panel.press("attach-page")
        # The browser's question for the permission cannot be answered without a screen; nothing may be read before.
        assert panel.request("history.get", pixels="none")["messages"] == []
