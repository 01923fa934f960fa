"""The settings page, used as a person uses it, on a real host."""

import json

import pytest
from tests.browser.conftest import Person, article, home, model, person
from tests.browser.model_server import ModelServer

from tasks.browser import Browser
from tasks.page import Page
from tasks.panel import Panel
from tasks.places import ORIGIN

pytestmark = pytest.mark.browser
__all__ = ["article", "home", "model", "person"]  # fixtures

ALERT = "document.querySelector('#alert').innerText"
STATUS = "document.querySelector('#status').textContent"
RESULT = "document.querySelector('.result[data-ok]')"


class Settings:
    """The settings page in a tab, with the panel open elsewhere."""

    def __init__(self, browser: Browser, panel: Panel) -> None:
        self.panel = panel
        self.page: Page = browser.open(ORIGIN + "options/options.html")
        self.page.until("!document.querySelector('#settings').hidden", what="the settings")

    def fill(self, **fields: str) -> None:
        """Replace what stands in fields, by typing."""
        for name, value in fields.items():
            self.page.click(f"#{name}")
            self.page.evaluate("document.activeElement.select()")
            self.page.type(value)

    def press(self, action: str) -> None:
        self.page.click(f'[data-action="{action}"]')


@pytest.fixture
def settings(person: Person, article: str) -> Settings:
    """The settings page of a fresh data home."""
    browser = person.start()
    return Settings(browser, person.open(article, browser=browser))


def test_a_server_is_set_up_tried_and_used(settings: Settings, model: ModelServer) -> None:
    page = settings.page
    page.click('[data-provider="custom"]')
    settings.fill(baseUrl=model.provider()["baseUrl"])
    settings.press("list-models")
    page.until(RESULT, what="the list of models")
    assert page.evaluate("[...document.querySelectorAll('#models option')].map(({value}) => value)") == ["tiny"]
    settings.fill(model="tiny", temperature="0.5")
    settings.press("test-provider")
    page.until(f"{RESULT}?.dataset.ok === 'true'", what="a good test")
    settings.press("save-provider")
    settings.panel.page.until(
        "document.querySelector('#status').textContent.includes('tiny')", what="the panel's notice"
    )
    settings.panel.send("Are you there?")
    assert settings.panel.wait_answer().provider == "custom"
    assert model.requests[-1]["temperature"] == 0.5


def test_the_api_is_chosen_for_a_persons_own_server_and_known_of_a_built_in_one(
    settings: Settings, model: ModelServer
) -> None:
    page = settings.page
    page.click('[data-provider="custom"]')
    page.evaluate("document.querySelector('#kind').value = 'anthropic'")
    page.click("#alternate")
    settings.fill(baseUrl=model.provider()["baseUrl"], model="tiny")
    settings.press("save-provider")
    page.until(f"{STATUS}.includes('Other server')", what="the word that it is saved")
    page.click('[data-provider="gemini"]')
    assert page.evaluate("document.querySelector('#kind')") is None
    settings.fill(model="tiny")
    settings.press("save-provider")
    page.until(f"{STATUS}.includes('Google Gemini')", what="the word that it is saved")
    stored = settings.panel.request("storage.get", keys="providers")["items"]["providers"]
    assert (stored["custom"]["kind"], stored["gemini"].get("kind")) == ("anthropic", None)
    assert (stored["custom"]["alternate"], stored["gemini"].get("alternate")) == (True, None)
    merged = settings.panel.request("storage.getAll")["items"]["providers"]
    assert merged["gemini"]["kind"] == "gemini"


def test_a_key_is_kept_by_the_host_and_shown_nowhere(settings: Settings, model: ModelServer) -> None:
    page = settings.page
    page.click('[data-provider="custom"]')
    settings.fill(baseUrl=model.provider()["baseUrl"], model="tiny", apiKey="sk-very-secret")
    settings.press("save-provider")
    page.until("!document.querySelector('[data-action=clear-key]').hidden", what="the word that a key is saved")
    kept = settings.panel.request("storage.get", keys=None), settings.panel.request("storage.getAll")
    area = page.evaluate("chrome.storage.local.get(null)")
    assert "sk-very-secret" not in json.dumps([kept, area, page.evaluate("document.documentElement.outerHTML")])
    assert page.evaluate("document.querySelector('#apiKey').value") == ""
    settings.press("clear-key")
    page.until("document.querySelector('[data-action=clear-key]').hidden", what="the key's going")
    assert settings.panel.request("storage.getAll")["items"]["providers"]["custom"]["keySet"] is False


def test_a_test_shows_the_real_error(settings: Settings) -> None:
    settings.page.click('[data-provider="custom"]')
    settings.fill(baseUrl="http://127.0.0.1:9/v1", model="tiny")
    settings.press("test-provider")
    settings.page.until(f"{RESULT}?.dataset.ok === 'false'", what="a bad test")
    assert "127.0.0.1:9" in settings.page.evaluate(f"{RESULT}.innerText")


def test_an_address_that_is_none_is_not_saved_and_nothing_typed_is_lost(settings: Settings) -> None:
    settings.page.click('[data-provider="custom"]')
    settings.fill(baseUrl="not an address")
    settings.press("save-provider")
    settings.page.until(ALERT, what="the complaint")
    assert settings.page.evaluate("document.querySelector('#baseUrl').value") == "not an address"
    assert settings.panel.request("storage.get", keys="providers")["items"] == {}


def test_saving_writes_the_fields_of_that_provider_alone(settings: Settings) -> None:
    before = {"ollama": {"model": "mine", "note": "kept"}, "openai": None}
    settings.panel.request("storage.set", items={"providers": before})
    settings.page.until("!document.querySelector('[data-provider=openai]')", what="a list without the removed provider")
    settings.page.click('[data-provider="lmstudio"]')
    settings.fill(model="local")
    settings.press("save-provider")
    settings.page.until("document.querySelector('[data-provider=lmstudio] .used')", what="the mark of use")
    stored = settings.panel.request("storage.get", keys="providers")["items"]["providers"]
    assert stored["ollama"] == before["ollama"]
    assert stored["openai"] is None, "a provider that was removed stays removed"
    assert stored["lmstudio"]["model"] == "local"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_theme_reaches_an_open_panel_at_once(settings: Settings, theme: str) -> None:
    choose = f"(box => {{ box.value = '{theme}'; box.dispatchEvent(new Event('change')) }})(document.querySelector('#theme'))"
    settings.page.evaluate(choose)
    settings.panel.page.until(f"document.documentElement.dataset.theme === '{theme}'", what="the panel's theme")
    scheme = settings.panel.page.evaluate("getComputedStyle(document.documentElement).colorScheme")
    assert scheme == theme


def test_the_language_reaches_an_open_panel_and_what_was_typed_stays(settings: Settings) -> None:
    settings.panel.type("half a thought")
    choose = (
        "(box => { box.value = 'ru'; box.dispatchEvent(new Event('change')) })(document.querySelector('#uiLanguage'))"
    )
    settings.page.evaluate(choose)
    settings.panel.page.until("document.documentElement?.lang === 'ru'", what="the panel in Russian")
    settings.panel.wait_ready()
    label = "document.querySelector('[data-action=attach-page]').textContent"
    assert settings.panel.page.evaluate(label) == "Приложить страницу"
    settings.panel.page.until(
        "document.querySelector('#composer-input').value === 'half a thought'", what="what was typed"
    )
    settings.page.until("document.documentElement?.lang === 'ru'", what="the settings in Russian")
