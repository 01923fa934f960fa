"""A profile without a host, in a real browser: it works, and when a host appears everything moves there once."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.browser import recorded_storage
from tests.browser.conftest import Person, shot
from tests.browser.test_storage_area import OWN, SHADOWED

from tasks import manifest
from tasks.browser import Browser
from tasks.page import Page
from tasks.panel import Panel
from tasks.places import EXTENSION_ID, HOST_NAME

OPTIONS_URL = f"chrome-extension://{EXTENSION_ID}/options/options.html"
# It fills the browser's quota to the last byte, and there Sidekeep's own few keys lie beside the area's.
FULL = "quota.replace_big_with_big"
OWN_KEYS = {"sidekeepProfile", "sidekeepAdopted", "draft", "askedForSites"}
LEGACY = {
    "savedSessions": [{"id": 1, "name": "Of old", "createdAt": 5, "history": [{"role": "user", "content": "old"}]}],
    "own": {"a": [1.5, None, {"": "x"}]},
}
NEW = {
    "session_2": [{"role": "user", "content": "new"}, {"role": "assistant", "content": "yes"}],
    "history": [{"role": "user", "content": "live"}],
    "theme": "dark",
    "providers": {"openai": {"model": "m", "apiKey": "sk-never-written"}},
}
KEPT_LOCAL = "chrome.storage.local.get(null)"
# Stops the worker at the call of that number that goes out of it, to the browser's storage or to the host: without an
# answer it cannot go on, until it is ended.
HOLD_AT = """(() => {
  let calls = 0;
  let tell;
  self.held = new Promise((resolve) => (tell = resolve));
  const hold = (object, name) => {
    const real = object[name];
    object[name] = function (...given) {
      calls += 1;
      if (calls < %d) return real.apply(this, given);
      tell(true);
      return new Promise(() => {});
    };
  };
  for (const name of ['get', 'set', 'remove']) hold(chrome.storage.local, name);
  const connect = chrome.runtime.connectNative.bind(chrome.runtime);
  chrome.runtime.connectNative = (name) => {
    const port = connect(name);
    hold(port, 'postMessage');
    return port;
  };
})()"""


def _worker(browser: Browser) -> Page:
    return Page(browser.connection, browser.worker()["targetId"])


def _kept(page: Page) -> dict[str, Any]:
    """What is in the browser's own storage beside Sidekeep's own."""
    kept: dict[str, Any] = page.evaluate(KEPT_LOCAL)
    return {key: value for key, value in kept.items() if key not in OWN_KEYS}


def _without_host(person: Person, article: str, profile: str = "profile") -> tuple[Browser, Panel]:
    browser = person.start(profile, with_manifest=False)
    panel = Panel(browser.open_panel(browser.open(article)))
    panel.wait_state("no-host")
    return browser, panel


def _fill(panel: Panel, worker: Page) -> None:
    """Chats of old and new, settings and a draft, all without a host."""
    worker.evaluate(f"chrome.storage.local.set({json.dumps(LEGACY)})")
    worker.evaluate(f"{OWN}.local.set({json.dumps(NEW)})")
    panel.type("Half a ques")
    panel.page.until(
        "chrome.storage.local.get('draft').then(({draft}) => draft === 'Half a ques')", what="the draft's keeping"
    )


def _assert_adopted(panel: Panel) -> None:
    listed = panel.request("sessions.list", limit=100)["sessions"]
    assert sorted(session["name"] for session in listed) == ["Of old", "live", "new"]
    texts = {
        session["name"]: [message["content"] for message in panel.request("sessions.get", id=session["id"])["messages"]]
        for session in listed
    }
    assert texts == {"Of old": ["old"], "new": ["new", "yes"], "live": ["live"]}
    items = panel.request("storage.get", keys=["own", "theme", "providers"])["items"]
    assert items == {"own": LEGACY["own"], "theme": "dark", "providers": {"openai": {"model": "m"}}}
    assert _kept(panel.page) == {}
    assert panel.page.evaluate("document.querySelector('#composer-input').value") == "Half a ques"


def test_a_profile_without_a_host_is_used_and_moves_once_into_the_store(person: Person, article: str) -> None:
    browser, panel = _without_host(person, article)
    panel.page.until("document.querySelector('#trouble .area')?.checkVisibility()", what="where things are kept")
    shot(panel, "area-browser")
    worker = _worker(browser)
    _fill(panel, worker)
    assert worker.evaluate(f"{OWN}.local.get('theme')") == {"theme": "dark"}
    assert _kept(panel.page) == {**LEGACY, **NEW, "providers": {"openai": {"model": "m"}}}
    panel.page.until("document.documentElement.dataset.theme === 'dark'", what="the theme, applied without a host")
    worker.detach()
    manifest.install(browser.profile)
    panel.press("check-again")
    panel.wait_state("ready")
    _assert_adopted(panel)


def test_the_settings_page_works_without_a_host(person: Person, article: str) -> None:
    browser, _ = _without_host(person, article)
    page = browser.open(OPTIONS_URL)
    page.until("document.querySelector('#theme')?.checkVisibility()", what="the settings")
    assert not page.evaluate("document.querySelector('#who').checkVisibility()")
    page.evaluate("""(() => {
      const theme = document.querySelector('#theme');
      theme.value = 'dark';
      theme.dispatchEvent(new Event('change', {bubbles: true}));
    })()""")
    page.until("document.documentElement.dataset.theme === 'dark'", what="the change")
    page.until("chrome.storage.local.get('theme').then(({theme}) => theme === 'dark')", what="the setting's keeping")
    assert _kept(page) == {"theme": "dark"}


@pytest.mark.parametrize("call", range(3, 24, 4))
def test_a_worker_that_is_killed_while_things_move_loses_and_doubles_nothing(
    person: Person, article: str, call: int
) -> None:
    browser, panel = _without_host(person, article)
    worker = _worker(browser)
    _fill(panel, worker)
    worker.evaluate(HOLD_AT % call)
    manifest.install(browser.profile)
    panel.press("check-again")
    assert worker.evaluate("self.held", timeout_s=60), "there is no such call"
    worker.detach()
    with panel.coming_back():
        browser.kill_worker()
    _assert_adopted(panel)


def test_without_its_host_an_adopted_profile_refuses_and_says_what_to_do(person: Person, article: str) -> None:
    browser = person.start()
    panel = person.open(article, browser=browser)
    panel.request("storage.set", items={"theme": "dark"})
    (browser.profile / "NativeMessagingHosts" / f"{HOST_NAME}.json").unlink()
    browser.kill_worker()
    panel.wait_state("no-host")
    shot(panel, "area-away")
    worker = _worker(browser)
    for call in ("set({theme: 'light'})", "get(null)"):
        refused = worker.evaluate(f"{OWN}.local.{call}.then(() => 'done', (error) => error.message)")
        assert "Nothing was read or written" in refused
    assert _kept(panel.page) == {}
    assert "until the host is back" in panel.page.evaluate("document.querySelector('#trouble').innerText")
    assert panel.page.evaluate("document.querySelector('main code').innerText") == "python3 build.py run"
    panel.type("kept")
    manifest.install(browser.profile)
    panel.press("check-again")
    panel.wait_state("ready")
    assert panel.request("storage.get", keys="theme")["items"] == {"theme": "dark"}
    assert panel.page.evaluate("document.querySelector('#composer-input').value") == "kept"


def test_another_store_is_told_and_used_when_the_person_says_so(person: Person, article: str, tmp_path: Path) -> None:
    browser = person.start()
    person.open(article, browser=browser).request("storage.set", items={"theme": "dark"})
    browser.close()
    person.home = tmp_path / "another home"
    person.home.mkdir(mode=0o700)
    panel = person.open(article)
    shown = "document.querySelector('#area-notice').checkVisibility()"
    panel.page.until(shown, what="the notice of another store")
    assert "another store" in panel.page.evaluate("document.querySelector('#area-notice').innerText")
    shot(panel, "area-other")
    panel.press("accept-area")
    panel.page.until(f"!{shown}", what="the end of the notice")


@pytest.mark.skipif(not recorded_storage.CASES.exists(), reason="the recordings are not beside this checkout")
def test_without_a_host_the_area_gives_every_recorded_answer_too(person: Person) -> None:
    worker = _worker(person.start(with_manifest=False))
    worker.evaluate(SHADOWED % recorded_storage.RUNNER.read_text("utf-8"))
    differences = {}
    for case in (case for case in recorded_storage.cases() if case["id"] != FULL):
        got = json.loads(worker.evaluate(recorded_storage.script(case)))
        if json.dumps(got) != json.dumps(case["expected"]):
            differences[case["id"]] = got
    assert differences == {}
