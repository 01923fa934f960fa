"""An incognito window: it works, and leaves nothing behind."""

import pytest
from tests.browser.conftest import Person, article, choose, home, model, person
from tests.browser.model_server import ModelServer
from tests.extension.stage import wait_loaded

from tasks.browser import Browser
from tasks.cdp import Params
from tasks.page import Page
from tasks.panel import Panel
from tasks.places import EXTENSION_ID, ORIGIN

pytestmark = pytest.mark.browser
__all__ = ["article", "home", "model", "person"]  # fixtures

ALLOW = f"""void chrome.developerPrivate.updateExtensionConfiguration(
  {{extensionId: '{EXTENSION_ID}', incognitoAccess: true}})"""
ALLOWED = f"""new Promise((done) => chrome.developerPrivate.getExtensionInfo('{EXTENSION_ID}', done))
  .then(({{incognitoAccess}}) => incognitoAccess.isActive)"""
SECRET = "a thought that nobody may find"


def allowed_in_incognito(person: Person) -> Browser:
    """A browser in which a person has ticked "Allow in Incognito"; the browser heeds it from its next start on."""
    browser = person.start()
    settings = browser.open("chrome://extensions/")
    settings.evaluate(ALLOW)
    settings.until(ALLOWED, what="the permission")
    browser.close()
    return person.start()


def incognito_page(browser: Browser, url: str) -> Page:
    """The page in an incognito window."""

    def is_new(info: Params) -> bool:
        return bool(info["type"] == "page" and info["url"] == url)

    opener = browser.open(ORIGIN + "options/options.html")
    opener.evaluate(f"void chrome.windows.create({{incognito: true, url: '{url}'}})")
    target = browser.connection.wait_target(is_new, what="the window", timeout_s=60)
    page = Page(browser.connection, target["targetId"])
    wait_loaded(page, url)
    return page


def test_an_incognito_window_answers_and_leaves_nothing_behind(
    person: Person, article: str, model: ModelServer
) -> None:
    browser = allowed_in_incognito(person)
    usual = person.open(article.replace("article.html", "article.html?usual"), browser=browser)
    choose(usual, model)
    page = incognito_page(browser, article)
    panel = Panel(browser.open_panel(page))
    panel.wait_ready()
    assert panel.page.evaluate("chrome.extension.inIncognitoContext")
    panel.attach_page()
    panel.send(f"What of {SECRET}?")
    assert panel.wait_answer().provider == "test", "settings are read"
    panel.type(f"More of {SECRET}")
    panel.page.until("chrome.storage.session.get('draft').then(({draft}) => draft?.includes('More'))", what="the draft")

    assert usual.request("history.get")["messages"] == []
    assert usual.request("sessions.list")["sessions"] == []
    assert SECRET not in usual.page.evaluate("chrome.storage.local.get(null).then(JSON.stringify)")
    browser.close()
    kept = b"".join(file.read_bytes() for file in person.home.rglob("*") if file.is_file())
    assert SECRET.encode() not in kept
    assert b"Ingrid Holm" not in kept, "nor the page"
