"""Sidekeep's storage area beside chrome.storage.local, in the extension's own worker: nobody can tell them apart."""

import json
import os
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.browser import recorded_storage
from tests.browser.conftest import Person

from tasks.browser import PANEL_URL, Browser
from tasks.page import Page
from tasks.panel import Panel

DIFFERENTIAL = Path(__file__).with_name("storage_differential.js")
OWN = "self.sidekeep.storage"
SEQUENCES = 400
BATCH = 20  # a time-out must not lose the differences that were found before it

# The area in the place of the browser's, for the runner alone: the extension's own use of chrome.storage goes on.
SHADOWED = """(function (chrome) { %s })({
  storage: { ...self.sidekeep.storage, session: chrome.storage.session },
  get runtime() { return self.chrome.runtime; },
})"""
PAGE_AREA = """(async () => {
  const [{ HostClient }, { pageStorage }, browser] = await Promise.all([
    import("/lib/host-client.js"), import("/lib/page-storage.js"), import("/lib/chrome.js")]);
  const client = new HostClient({ connect: browser.connectWorker, clock: browser.clock });
  self.area = pageStorage(client, { runtime: browser.runtime(), isArray: browser.isBrowserArray });
})()"""
LISTEN = """(async () => {
  const heard = self.heard = [];
  %s.onChanged.addListener(self.hear = (changes, area) => heard.push([changes, area]));
})()"""
OVERHEAR = """(async () => {
  const { connectWorker } = await import("/lib/chrome.js");
  const told = self.told = [];
  await new Promise((joined) => connectWorker().onMessage.addListener(({ method, params }) => {
    if (method === "host.state") joined(); // the worker's first word to whoever comes
    if (method === "storage.onChanged") told.push(params.changes);
  }));
})()"""


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """Somebody whose browser serves all tests of this file: each of them leaves the areas empty."""
    folder = tmp_path_factory.mktemp("storage-area")
    home = folder / "home"
    home.mkdir(mode=0o700)
    with ExitStack() as stack:
        yield Person(home, folder / "profiles", stack)


@pytest.fixture(scope="module")
def browser(patient: Person) -> Browser:
    """That one browser."""
    return patient.start()


@pytest.fixture(scope="module")
def worker(browser: Browser) -> Page:
    """The extension's service worker."""
    return Page(browser.connection, browser.worker()["targetId"])


@pytest.mark.skipif(not recorded_storage.CASES.exists(), reason="the recordings are not beside this checkout")
def test_every_recorded_answer_of_the_browser_is_the_areas_too(worker: Page) -> None:
    worker.evaluate(SHADOWED % recorded_storage.RUNNER.read_text("utf-8"))
    differences = {}
    for case in recorded_storage.cases():
        got = json.loads(worker.evaluate(recorded_storage.script(case)))
        if _ordered(got) != _ordered(recorded_storage.expected(case)):
            differences[case["id"]] = got
    assert differences == {}


def test_random_calls_show_the_same_on_both(worker: Page) -> None:
    seed = int(os.environ.get("SIDEKEEP_SEED") or random.SystemRandom().randrange(2**31))
    print(f"SIDEKEEP_SEED={seed} repeats this run")
    worker.evaluate(DIFFERENTIAL.read_text("utf-8") + ";0")
    differences = []
    for start in range(0, SEQUENCES, BATCH):
        differences += worker.evaluate(f"Differential.run({seed}, {start}, {BATCH})", timeout_s=60)
    assert not differences, f"seed {seed}:\n" + "\n".join(differences)


def test_a_page_and_the_worker_share_one_area_and_its_events(browser: Browser, worker: Page) -> None:
    page = browser.open(PANEL_URL)
    page.evaluate(PAGE_AREA)
    with _listening(page, "self.area"), _listening(worker, OWN):
        page.evaluate("self.area.local.set({history: [{b: 1, a: undefined}], session_1: new Date(0)})")
        wanted = [{"history": {"newValue": [{"b": 1}]}, "session_1": {"newValue": {}}}, "local"]
        assert page.evaluate("self.heard") == [wanted]
        assert worker.evaluate("self.heard") == [wanted]
        assert worker.evaluate(f"{OWN}.local.get(null)") == {"history": [{"b": 1}], "session_1": {}}
        worker.evaluate(f"{OWN}.local.clear()")
        gone = [{"history": {"oldValue": [{"b": 1}]}, "session_1": {"oldValue": {}}}, "local"]
        page.until("self.heard.length === 2", what="the page's event")
        assert page.evaluate("self.heard[1]") == gone
    page.close()


def test_large_values_are_announced_without_their_text_where_nobody_listens(person: Person) -> None:
    browser = person.start()
    worker = Page(browser.connection, browser.worker()["targetId"])
    page = browser.open(PANEL_URL)
    page.evaluate(OVERHEAR)
    with _listening(worker, OWN):
        worker.evaluate(f"{OWN}.local.set({{session_9: 'with'}})")
    worker.evaluate(f"{OWN}.local.set({{session_9: 'without', theme: 'dark'}})")
    page.until("self.told.length === 2", what="both announcements")
    first, second = page.evaluate("self.told")
    assert first == {"session_9": {"newValue": "with"}}
    assert second == {"session_9": {"stale": True}, "theme": {"newValue": "dark"}}


def test_a_page_hears_values_after_the_worker_has_ended_and_started_again(person: Person, article: str) -> None:
    browser = person.start()
    panel = person.open(article, browser=browser).page
    panel.evaluate(PAGE_AREA)
    panel.evaluate(LISTEN % "self.area")
    with Panel(panel).coming_back():
        browser.kill_worker()
    panel.evaluate("self.area.local.set({session_1: 'text'})")
    panel.until("self.heard.length > 0", what="the event")
    assert panel.evaluate("self.heard") == [[{"session_1": {"newValue": "text"}}, "local"]]


@contextmanager
def _listening(context: Page, storage: str) -> Iterator[None]:
    """Collect what the storage's event tells there in `self.heard`."""
    context.evaluate(LISTEN % storage)
    try:
        yield
    finally:
        context.evaluate(f"{storage}.onChanged.removeListener(self.hear)")


def _ordered(answer: Any) -> str:
    """JSON text: the order of keys counts."""
    return json.dumps(answer)
