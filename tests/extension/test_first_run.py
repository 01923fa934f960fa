"""The empty chat as the first run: who could answer is found, one click and the first question goes; temporary chats."""

import pytest
from tests.extension.stage import Stage, beside

from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["beside"]  # fixture

FOUND = "document.querySelector('#welcome [aria-live]').textContent"


@pytest.fixture
def panel(beside: Stage) -> Panel:
    """The panel beside a page, on an empty chat; nothing is set up but where llama.cpp would be."""
    beside.clear()
    server = {"llamacpp": {"baseUrl": beside.model.provider()["baseUrl"]}}
    beside.panel.request("storage.set", items={"providers": server, "activeProvider": "offline", "activeModel": ""})
    beside.panel.page.until(
        "document.querySelector('[data-action=detect]')?.checkVisibility()", what="the offer to look"
    )
    return beside.panel


def test_nobody_is_asked_before_a_person_looks(beside: Stage, panel: Panel) -> None:
    before = len(beside.model.asked)
    panel.request("status")
    assert len(beside.model.asked) == before
    panel.press("detect")
    panel.page.until("document.querySelector('[data-action=use-found]')", what="the server that was found")
    assert len(beside.model.asked) > before


def test_a_server_that_is_found_answers_after_one_click(beside: Stage, panel: Panel) -> None:
    panel.press("detect")
    assert "llama.cpp · tiny" in panel.page.until(f"{FOUND}.includes('Use') && {FOUND}", what="the offer")
    panel.press("use-found")
    panel.page.until("document.activeElement?.id === 'composer-input'", what="the focus in the composer")
    panel.send("Who are you?")
    answer = panel.wait_answer()
    assert (answer.provider, answer.model) == ("llamacpp", "tiny")


def test_that_nothing_was_found_is_said_with_what_to_do(panel: Panel) -> None:
    panel.request("storage.set", items={"providers": {}})
    panel.press("detect")
    panel.page.until(f"{FOUND}.includes('None of Ollama')", what="the word that there is none")


def test_the_page_is_summarised_with_one_click(beside: Stage, panel: Panel) -> None:
    panel.request("storage.set", items={"activeProvider": "llamacpp", "activeModel": "tiny"})
    panel.page.until("document.querySelector('[data-action=summarise]')?.checkVisibility()", what="the offer")
    panel.press("summarise")
    panel.wait_shown("assistant", "The light blinks twice.")
    sent = str(beside.model.requests[-1]["messages"])
    assert "High water is at noon." in sent
    assert "Summarise this page" in sent


def test_a_temporary_chat_is_kept_nowhere(beside: Stage, panel: Panel) -> None:
    panel.request("storage.set", items={"activeProvider": "llamacpp", "activeModel": "tiny"})
    before = panel.request("sessions.list")["total"]
    panel.press("temporary-chat")
    panel.page.until("!document.querySelector('#temporary-notice').hidden", what="the word of it")
    panel.send("A secret?")
    panel.wait_answer()
    panel.press("new-chat")
    panel.page.until("document.querySelector('#temporary-notice').hidden", what="its end")
    assert panel.request("sessions.list")["total"] == before
    assert panel.request("archive.list")["total"] == 0
