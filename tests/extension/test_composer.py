"""The composer: how a question is sent, and that nothing typed is lost."""

import pytest
from tests.browser.conftest import Person, article, choose, home, model, person
from tests.browser.model_server import ModelServer

from tasks import manifest
from tasks.page import ENTER
from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["article", "home", "model", "person"]  # fixtures

DRAFT = "document.querySelector('#composer-input').value"
SHIFT = 8
CTRL = 2
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def panel(person: Person, article: str, model: ModelServer) -> Panel:
    """A panel with a model that answers."""
    opened = person.open(article)
    choose(opened, model)
    return opened


def test_shift_enter_makes_a_line_and_enter_sends(panel: Panel) -> None:
    panel.type("one")
    panel.page.press(ENTER, modifiers=SHIFT)
    panel.type("two")
    assert panel.page.evaluate(DRAFT) == "one\ntwo"
    panel.page.press(ENTER)
    panel.wait_shown("user", "one\ntwo")
    panel.page.until(f"{DRAFT} === ''", what="an empty composer")


def test_enter_makes_a_line_where_a_person_wants_ctrl_enter_to_send(panel: Panel) -> None:
    panel.request("storage.set", items={"sendKey": "modEnter"})
    panel.type("one")
    panel.page.press(ENTER)
    panel.type("two")
    assert panel.page.evaluate(DRAFT) == "one\ntwo"
    panel.page.press(ENTER, modifiers=CTRL)
    panel.wait_shown("user", "one\ntwo")


def test_enter_chooses_a_word_while_an_input_method_composes(panel: Panel) -> None:
    panel.page.click("#composer-input")
    panel.page.call("Input.imeSetComposition", {"text": "にほん", "selectionStart": 3, "selectionEnd": 3})
    panel.page.press({**ENTER, "windowsVirtualKeyCode": 229, "text": ""})
    panel.page.call("Input.insertText", {"text": "日本"})
    assert panel.page.evaluate(DRAFT) == "日本"
    panel.page.press(ENTER)
    panel.wait_answer()
    assert [shown.text for shown in panel.transcript() if shown.role == "user"] == ["日本"]


def test_what_was_typed_outlives_the_browser(person: Person, article: str) -> None:
    browser = person.start()
    first = person.open(article, browser=browser)
    first.type("half a thought")
    first.page.until(
        "chrome.storage.local.get('draft').then(({draft}) => draft === 'half a thought')", what="the draft"
    )
    browser.close()
    again = person.open(article, browser=person.start())
    assert again.page.evaluate(DRAFT) == "half a thought"


def test_what_is_sent_without_a_host_stays_until_there_is_one(person: Person, article: str, model: ModelServer) -> None:
    browser = person.start(with_manifest=False)
    panel = Panel(browser.open_panel(browser.open(article)))
    panel.wait_state("no-host")
    panel.type("Is anybody there?")
    panel.page.press(ENTER)
    assert panel.page.evaluate(DRAFT) == "Is anybody there?"
    manifest.install(browser.profile)
    panel.press("check-again")
    panel.wait_ready()
    choose(panel, model)
    panel.send("")
    panel.wait_shown("assistant", model.answer)


def test_a_question_is_not_sent_while_an_answer_runs(panel: Panel, model: ModelServer) -> None:
    model.gate.clear()
    panel.send("First")
    panel.wait_shown("assistant", "light")
    panel.type("Second")
    panel.page.press(ENTER)
    panel.page.until("document.querySelector('#status').textContent.includes('Esc')", what="the hint")
    assert panel.page.evaluate(DRAFT) == "Second"
    model.gate.set()
    panel.wait_shown("assistant", model.answer)
    panel.page.press(ENTER)
    panel.wait_shown("user", "Second")


def test_the_pictures_of_a_question_are_shown(panel: Panel) -> None:
    panel.request("turn.send", text="Look", images=[PIXEL])
    shown = panel.page.until("document.querySelector('article[data-role=user] img')?.naturalWidth", what="the picture")
    assert shown == 1


def test_two_panels_show_the_same_conversation(person: Person, article: str, model: ModelServer) -> None:
    browser = person.start()
    one = Panel(browser.open_panel(browser.open(article)))
    one.wait_ready()
    choose(one, model)
    tab = Panel(browser.open(one.page.evaluate("location.href")))
    tab.wait_ready()
    one.send("From one")
    tab.wait_shown("assistant", model.answer)
    tab.send("From the other")
    one.wait_shown("user", "From the other")
    one.press("new-chat")
    tab.page.until(
        "document.querySelectorAll('#transcript article').length === 0", what="the new chat in the other panel"
    )
