"""A chat that fills its window: the panel offers a summary, takes `/compact` for one, and puts back what was shortened."""

from typing import Any

import pytest
from tests.extension.stage import PANEL, Stage, stage

from tasks.page import ENTER

pytestmark = pytest.mark.browser
__all__ = ["stage"]  # a fixture

OFFERED = "!document.querySelector('[data-action=compact]').hidden"
DRAFT = "document.querySelector('#composer-input').value"


def _talk(words: int) -> list[dict[str, Any]]:
    return [
        {"id": f"m{turn}{role}", "role": role, "content": f"{turn} " + "word " * words}
        for turn in range(4)
        for role in ("user", "assistant")
    ]


def _first(stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = stage.panel.request("history.get", pixels="none")["messages"][0]
    return found


@pytest.fixture
def full(stage: Stage) -> Stage:
    """A chat that fills a window of 2,048 tokens, and the answer that told the panel so."""
    stage.clear()
    stage.panel.request("storage.set", items={"providers": {"test": {**stage.model.provider(), "window": 2048}}})
    stage.seed(_talk(200))
    stage.panel.send("Is that all?")
    stage.panel.wait_answer()
    return stage


def test_a_full_chat_is_offered_a_summary_that_stands_there_then(full: Stage) -> None:
    full.panel.page.until(OFFERED, what="the offer")
    full.panel.page.click("[data-action=compact]")
    full.panel.page.until("document.querySelector('#transcript').textContent.includes('[Summary')", what="the summary")
    assert _first(full)["role"] == "user"
    assert "The light blinks twice." in _first(full)["content"]
    assert "summaryOf" in _first(full)


def test_a_panel_that_opens_later_shows_what_was_left_out_and_offers_a_summary(full: Stage) -> None:
    foot = "[...document.querySelectorAll('article .foot')].at(-1)?.textContent"
    full.panel.page.until(OFFERED, what="the offer")
    before = full.panel.page.until(f"{foot}.includes('left out') && {foot}", what="the line below the answer")
    full.panel.page.navigate(PANEL)
    full.panel.page.until(f"{foot} === {before!r}", what="the same line")
    full.panel.page.until(OFFERED, what="the offer")


SHOWN = "document.querySelector('.earlier-messages').textContent"


def test_what_was_summarised_is_still_shown_folded_and_leads_back(full: Stage) -> None:
    before = [message["content"] for message in full.panel.request("history.get", pixels="none")["messages"]]
    full.panel.page.until(OFFERED, what="the offer")
    full.panel.page.click("[data-action=compact]")
    full.panel.page.until("document.querySelector('.earlier')", what="the folded part")
    assert full.panel.page.evaluate(SHOWN) == "", "nothing is read before it is opened"
    full.panel.page.click(".earlier > summary")
    full.panel.page.until(f"{SHOWN}.includes('0 word word')", what="the first question, word for word")
    assert full.panel.page.evaluate("document.querySelectorAll('.earlier-messages article').length") == len(before)
    assert full.panel.page.evaluate(
        "[...document.querySelectorAll('.earlier-messages .actions')].every(box => box.hidden)"
    )
    full.panel.page.click("[data-action=return-to-whole]")
    full.panel.page.until("!document.querySelector('.earlier')", what="the whole conversation")
    assert [message["content"] for message in full.panel.request("history.get", pixels="none")["messages"]] == before


def test_the_command_asks_for_a_summary_and_is_no_question(full: Stage) -> None:
    asked = len(full.panel.request("history.get", pixels="none")["messages"])
    full.panel.type("/compact")
    full.panel.page.press(ENTER)
    full.panel.page.until(f"{DRAFT} === ''", what="an empty composer")
    assert "summaryOf" in _first(full)
    assert len(full.panel.request("history.get", pixels="none")["messages"]) < asked


def test_what_was_shortened_says_so_and_is_put_back(stage: Stage) -> None:
    stage.clear()
    header = "[Page context attached by sidekeep]\nURL: https://e.org/\nTitle: Tides\nMode: full\n---\n\n"
    short = {"content": header + "[500 characters left out]", "original": header + "w" * 500, "originalChars": 590}
    page = {"id": "page", "role": "user", "attachId": "A", "rescued": True, **short}
    stage.seed([page, {"id": "q", "role": "user", "content": "When?"}])
    stage.panel.page.click("[data-action=restore-attachment]")
    stage.panel.page.until("!document.querySelector('[data-action=restore-attachment]')", what="the whole attachment")
    assert _first(stage)["content"] == short["original"]


def test_a_short_chat_is_offered_nothing_and_says_why_it_cannot(stage: Stage) -> None:
    stage.clear()
    stage.seed(_talk(3)[:2])
    assert not stage.panel.page.evaluate(OFFERED)
    stage.panel.type("/compact")
    stage.panel.page.press(ENTER)
    stage.panel.page.until("!document.querySelector('#alert').hidden", what="the reason")
    assert "summaryOf" not in _first(stage)
