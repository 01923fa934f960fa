"""The list of saved chats, and what becomes of an answer whose chat is left."""

import pytest
from tests.browser.conftest import Person, article, choose, home, model, person
from tests.browser.model_server import ModelServer

from tasks.page import ENTER, ESCAPE
from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["article", "home", "model", "person"]  # fixtures

ROWS = "[...document.querySelectorAll('[data-session-id] .title')].map((title) => title.textContent)"
SHOWN = (
    "[...document.querySelectorAll('#transcript article')].map((one) => one.querySelector('.message-body').innerText)"
)


def open_list(panel: Panel, count: int) -> list[str]:
    """Open the list and wait for so many chats; their names, newest first."""
    panel.press("chats")
    names: list[str] = panel.page.until(f"(({ROWS}).length === {count}) && {ROWS}", what=f"{count} chats in the list")
    return names


def in_row(number: int, action: str) -> str:
    return f'[data-session-id]:nth-child({number}) [data-action="{action}"]'


@pytest.fixture
def two_chats(person: Person, article: str, model: ModelServer) -> Panel:
    """A panel on its second chat."""
    panel = person.open(article)
    choose(panel, model)
    panel.send("The first question")
    panel.wait_answer()
    panel.press("new-chat")
    panel.page.until(f"({SHOWN}).length === 0", what="an empty transcript")
    panel.send("The second question")
    panel.wait_answer()
    return panel


def test_a_chat_is_found_and_opened_again(two_chats: Panel) -> None:
    panel = two_chats
    assert open_list(panel, 2) == ["The second question", "The first question"]
    panel.page.click(in_row(2, "open-chat"))
    panel.wait_shown("user", "The first question")
    panel.page.until("!document.querySelector('#chats').open", what="the closed list")
    panel.page.until("document.activeElement.id === 'composer-input'", what="the focus in the composer")
    assert "The second question" not in panel.page.evaluate(SHOWN)


def test_a_chat_is_renamed_in_the_list(two_chats: Panel) -> None:
    open_list(two_chats, 2)
    two_chats.page.click(in_row(2, "rename-chat"))
    two_chats.page.type("Lighthouses")
    two_chats.page.press(ENTER)
    two_chats.page.until(f"({ROWS})[1] === 'Lighthouses'", what="the new name")
    names = [chat["name"] for chat in two_chats.request("sessions.list")["sessions"]]
    assert "Lighthouses" in names


def test_a_chat_is_deleted_only_after_a_yes(two_chats: Panel) -> None:
    open_list(two_chats, 2)
    two_chats.page.click(in_row(2, "remove-chat"))
    two_chats.page.until("document.querySelector('[data-action=confirm-delete]')", what="the question")
    assert len(two_chats.request("sessions.list")["sessions"]) == 2
    two_chats.page.click('[data-action="confirm-delete"]')
    two_chats.page.until(f"({ROWS}).length === 1", what="one chat less")
    assert [chat["name"] for chat in two_chats.request("sessions.list")["sessions"]] == ["The second question"]
    assert "The second question" in two_chats.page.evaluate(SHOWN), "what is open stays open"


def test_the_open_chat_that_is_deleted_does_not_stay_on_screen(two_chats: Panel) -> None:
    open_list(two_chats, 2)
    two_chats.page.click(in_row(1, "remove-chat"))
    two_chats.page.click('[data-action="confirm-delete"]')
    two_chats.page.until(f"({SHOWN}).length === 0", what="an empty transcript")
    assert two_chats.request("history.get")["messages"] == []


def test_escape_closes_the_list_and_the_focus_goes_back(two_chats: Panel) -> None:
    open_list(two_chats, 2)
    two_chats.page.press(ESCAPE)
    two_chats.page.until("document.activeElement.dataset.action === 'chats'", what="the focus on the button")


def test_an_answer_joins_the_chat_it_was_asked_in(two_chats: Panel, model: ModelServer) -> None:
    panel = two_chats
    model.gate.clear()
    panel.send("A long story?")
    panel.wait_shown("assistant", "light")
    panel.press("new-chat")
    panel.page.until(f"({SHOWN}).length === 0", what="an empty transcript")
    assert panel.page.evaluate("document.querySelector('[data-action=stop]').hidden"), "nothing runs in the new chat"
    open_list(panel, 2)
    panel.page.click(in_row(1, "open-chat"))
    panel.page.until("!document.querySelector('[data-action=stop]').hidden", what="the answer that still runs")
    model.gate.set()
    panel.page.until(f"({SHOWN}).at(-1) === {model.answer!r}", what="the whole answer")
    stored = panel.request("history.get", pixels="none")["messages"]
    assert [message["role"] for message in stored] == ["user", "assistant"] * 2
