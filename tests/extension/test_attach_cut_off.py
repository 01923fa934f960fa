"""A tab that closes while it is attached, and a worker that ends: said in words, and nothing is left half attached."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.extension.stage import PAGE, Stage, beside
from tests.support import pdf

from tasks import pages
from tasks.page import ENTER, Page
from tasks.panel import ASKING, Panel

pytestmark = pytest.mark.browser
__all__ = ["beside"]  # fixture

STATUS = "document.querySelector('#status').textContent"
FRONT = "chrome.tabs.query({active: true, currentWindow: true})"
LONG = {"/long": ("text/html", b"<title>Long</title>" + b"<p>High water is at noon.</p>" * 20_000)}
TITLES = "[...document.querySelectorAll('#chips .title')].map((title) => title.textContent)"
# The browser's picture of the tab waits until the test lets it be taken.
HOLD_CAPTURE = """(() => {
  const real = chrome.tabs.captureVisibleTab;
  chrome.tabs.captureVisibleTab = (...given) => {
    window.asked = true;
    return new Promise((taken) => { window.take = () => taken(real(...given)); });
  };
})()"""


@contextlib.contextmanager
def handed_out_once(content: bytes) -> Iterator[str]:
    """The address of a PDF that is handed out, and then asked for without end."""
    gate = threading.Event()
    first = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if first.is_set():
                gate.wait(60)
            first.set()
            self.send_response(200)
            self.send_header("Content-Type", "application/pdf")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/tides.pdf"
    finally:
        gate.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def panel(beside: Stage) -> Panel:
    """The panel beside the page, on an empty chat."""
    beside.clear()
    return beside.panel


def attached(panel: Panel) -> int:
    """How many attachments the host has."""
    return len(panel.request("history.get", pixels="none")["messages"])


def test_a_tab_that_closes_while_it_is_read_leaves_nothing(beside: Stage, panel: Panel) -> None:
    with handed_out_once(pdf.with_text("High water is at noon.")) as address:
        tab = beside.turn_to(address)
        panel.press("attach-page")
        panel.page.until(f"{STATUS}.includes('Reading')", what="the word that it is read")
        tab.close()
        assert "was closed or changed" in panel.wait_alert()
    assert (attached(panel), panel.page.evaluate(TITLES)) == (0, [])
    assert panel.attach_page().title == "A tide table", "the page that is in front now"


@contextlib.contextmanager
def asked_of_a_host_that_stands_still(stage: Stage, address: str) -> Iterator[Page]:
    """Press Attach page there; in the block the page has been read, and its text waits before the host."""
    tab = stage.turn_to(address)
    (host,) = stage.person.host_pids()
    os.kill(host, signal.SIGSTOP)
    try:
        stage.panel.press("attach-page")
        stage.panel.page.until(ASKING, what="the request that carries the page")
        yield tab
    finally:
        os.kill(host, signal.SIGCONT)


@pytest.mark.skipif(sys.platform != "linux", reason="finds the host in /proc")
def test_a_tab_that_closes_while_its_text_is_on_the_way_is_attached_whole(beside: Stage, panel: Panel) -> None:
    with pages.serve(LONG) as (base, _):
        with asked_of_a_host_that_stands_still(beside, base + "/long") as tab:
            tab.close()
        panel.page.until(f"({TITLES}).join() === 'Long'", what="the chip")
    (message,) = panel.request("history.get", pixels="none")["messages"]
    assert message["content"].count("High water is at noon.") == 20_000


@pytest.mark.skipif(sys.platform != "linux", reason="finds the host in /proc")
def test_a_worker_that_ends_with_the_text_on_its_way_leaves_what_is_shown_and_what_is_kept_the_same(
    beside: Stage, panel: Panel
) -> None:
    with pages.serve(LONG) as (base, _):
        with panel.coming_back(), asked_of_a_host_that_stands_still(beside, base + "/long") as tab:
            beside.browser.kill_worker()
        assert panel.wait_alert()
        tab.close()
    assert attached(panel) == len(panel.page.evaluate(TITLES))
    panel.type("Still here?")
    panel.page.press(ENTER)
    panel.wait_shown("assistant", beside.model.answer)


def test_no_picture_is_taken_of_another_tab_than_the_one_that_was_meant(beside: Stage, panel: Panel) -> None:
    panel.page.evaluate(HOLD_CAPTURE)
    with pages.serve({"/other": ("text/html", PAGE)}) as (base, _):
        tab = beside.turn_to(base + "/other")
        panel.press("attach-more")
        panel.press("attach-area")
        panel.page.until("window.asked", what="the request for a picture")
        tab.close()
        panel.page.until(f"{FRONT}.then(([tab]) => tab.url.endsWith('/page'))", what="the page behind it in front")
        panel.page.evaluate("window.take()")
        assert "was closed or changed" in panel.wait_alert()
    assert panel.page.evaluate("document.querySelector('#crop').open") is False
    assert panel.page.evaluate("document.querySelectorAll('#chips li').length") == 0
