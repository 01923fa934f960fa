"""The worker may end between any two events: killed at ten points of a turn, nothing is lost, doubled or left hanging."""

from collections.abc import Callable

import pytest
from tests.extension.stage import Stage, stage

from tasks.page import ENTER, ESCAPE
from tasks.panel import Panel

pytestmark = pytest.mark.browser
__all__ = ["stage"]  # fixture

QUIET = "!document.querySelector('article[aria-busy=true]') && document.querySelector('[data-action=stop]').hidden"


def kill(stage: Stage) -> None:
    with stage.panel.coming_back():
        stage.browser.kill_worker()


def type_and_send(panel: Panel, question: str) -> None:
    panel.type(question)
    panel.page.press(ENTER)


def before_it_is_typed(stage: Stage, question: str) -> None:
    kill(stage)
    type_and_send(stage.panel, question)


def while_it_is_typed(stage: Stage, question: str) -> None:
    stage.panel.type(question)
    kill(stage)
    stage.panel.page.press(ENTER)


def just_before_it_is_sent(stage: Stage, question: str) -> None:
    stage.panel.type(question)
    stage.browser.kill_worker()
    stage.panel.page.press(ENTER)


def just_after_it_is_sent(stage: Stage, question: str) -> None:
    type_and_send(stage.panel, question)
    kill(stage)


def once_it_is_shown(stage: Stage, question: str) -> None:
    stage.model.gate.clear()
    type_and_send(stage.panel, question)
    stage.panel.wait_shown("user", question)
    kill(stage)


def once_the_model_is_asked(stage: Stage, question: str) -> None:
    stage.model.gate.clear()
    stage.model.halfway.clear()
    type_and_send(stage.panel, question)
    assert stage.model.halfway.wait(60)
    kill(stage)


def once_the_answer_grows(stage: Stage, question: str) -> None:
    stage.model.gate.clear()
    type_and_send(stage.panel, question)
    stage.panel.page.until(
        "document.querySelector('article[aria-busy=true]')?.innerText.includes('light')", what="text"
    )
    kill(stage)


def while_the_answer_is_stopped(stage: Stage, question: str) -> None:
    stage.model.gate.clear()
    type_and_send(stage.panel, question)
    stage.panel.page.until(
        "document.querySelector('article[aria-busy=true]')?.innerText.includes('light')", what="text"
    )
    stage.panel.page.press(ESCAPE)
    kill(stage)


def just_as_the_answer_goes_on(stage: Stage, question: str) -> None:
    once_the_model_is_asked(stage, question)
    stage.model.gate.set()
    kill(stage)


def once_the_answer_is_whole(stage: Stage, question: str) -> None:
    type_and_send(stage.panel, question)
    stage.panel.wait_shown("user", question)
    stage.panel.page.until(QUIET, what="the whole answer")
    kill(stage)


POINTS: list[Callable[[Stage, str], None]] = [
    before_it_is_typed,
    while_it_is_typed,
    just_before_it_is_sent,
    just_after_it_is_sent,
    once_it_is_shown,
    once_the_model_is_asked,
    once_the_answer_grows,
    while_the_answer_is_stopped,
    just_as_the_answer_goes_on,
    once_the_answer_is_whole,
]


@pytest.mark.parametrize("point", POINTS, ids=[point.__name__.replace("_", " ") for point in POINTS])
def test_a_killed_worker_loses_doubles_and_hangs_nothing(stage: Stage, point: Callable[[Stage, str], None]) -> None:
    stage.clear()
    panel = stage.panel
    question = f"What {point.__name__.replace('_', ' ')}?"
    point(stage, question)
    panel.wait_shown("user", question)
    stage.model.gate.set()
    panel.page.until(QUIET, what="the end of the answer")
    panel.send("And then?")
    panel.wait_answer()
    stored = panel.request("history.get", pixels="none")["messages"]
    assert [one["content"] for one in stored if one["role"] == "user"] == [question, "And then?"]
    shown = [one for one in panel.transcript() if one.role == "user"]
    assert [one.text for one in shown] == [question, "And then?"]
    whole = "The light blinks twice."
    for one in stored:
        if one["role"] == "assistant" and one["content"] != whole:
            assert one["interrupted"], "what is not whole is marked"
            assert whole.startswith(one["content"])


def test_a_question_100_ms_after_opening_is_asked_once(stage: Stage) -> None:
    stage.clear()
    page = stage.panel.page
    page.navigate(page.evaluate("location.href"))
    page.evaluate(
        """new Promise((resolve) => setTimeout(() => {
          const box = document.querySelector('#composer-input');
          box.value = 'Early?';
          box.dispatchEvent(new Event('input'));
          document.querySelector('#composer').requestSubmit();
          resolve();
        }, 100))"""
    )
    stage.panel.wait_shown("assistant", "The light blinks twice.")
    page.until(QUIET, what="the end of the answer")
    stored = stage.panel.request("history.get", pixels="none")["messages"]
    assert [one["content"] for one in stored] == ["Early?", "The light blinks twice."]


SENT_AT_ONCE = """addEventListener('DOMContentLoaded', () => {
  const box = document.querySelector('#composer-input');
  box.value = 'At once?';
  %s
})"""
WAYS = {
    "by its button": "document.querySelector('[data-action=send]').click()",
    "by Enter": "box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}))",
}


@pytest.mark.parametrize("way", list(WAYS.values()), ids=list(WAYS))
def test_a_question_before_the_panel_is_all_there_is_asked_once(stage: Stage, way: str) -> None:
    stage.clear()
    page = stage.panel.page
    added = page.call("Page.addScriptToEvaluateOnNewDocument", {"source": SENT_AT_ONCE % way})
    try:
        page.navigate(page.evaluate("location.href"))
        stage.panel.wait_shown("assistant", "The light blinks twice.")
        page.until(QUIET, what="the end of the answer")
    finally:
        page.call("Page.removeScriptToEvaluateOnNewDocument", added)
    stored = stage.panel.request("history.get", pixels="none")["messages"]
    assert [one["content"] for one in stored] == ["At once?", "The light blinks twice."]
    page.until("document.querySelector('#composer-input').value === ''", what="an empty composer")


def test_an_answer_lands_where_it_was_asked_also_seen_from_another_window(stage: Stage) -> None:
    stage.clear()
    other = Panel(stage.browser.open(stage.panel.page.evaluate("location.href")))
    try:
        other.wait_ready()
        stage.model.gate.clear()
        stage.panel.send("Asked here")
        other.wait_shown("assistant", "light")
        other.press("new-chat")
        stage.panel.page.until("document.querySelectorAll('article').length === 0", what="the new chat here too")
        stage.model.gate.set()
        (chat,) = [c for c in stage.panel.request("sessions.list")["sessions"] if c["name"] == "Asked here"]
        stage.panel.page.until("document.querySelectorAll('article').length === 0", what="nothing of it here")
        stage.panel.request("sessions.load", id=chat["id"])
        stage.panel.wait_shown("assistant", "The light blinks twice.")
    finally:
        other.page.close()
