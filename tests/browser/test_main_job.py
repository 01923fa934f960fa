"""The main job as a person does it: a page, the panel, a question, an answer; and what outlives what."""

import shutil
from pathlib import Path

import pytest
from tests.browser.conftest import Person, choose, shot
from tests.browser.model_server import ModelServer

from tasks.panel import Panel

QUESTION = "Who cut the second opening?"


@pytest.mark.model
@pytest.mark.usefixtures("home_with_model")
def test_the_chat_outlives_the_worker_and_the_profile(person: Person, article: str, tmp_path: Path) -> None:
    browser = person.start("first")
    panel = person.open(article, browser=browser)
    chip = panel.attach_page()
    assert chip.title == "How the Harbour Lighthouse of Vell Came to Blink Twice"
    panel.send(QUESTION)
    panel.wait_shown("user", QUESTION)
    with panel.coming_back():
        browser.kill_worker()
    panel.send("What did the ship carry?")
    answer = panel.wait_answer()
    assert answer.text.strip()
    assert answer.provider == "offline"
    shot(panel, "main-job")
    browser.close()
    shutil.rmtree(tmp_path / "profiles" / "first")

    again = person.open(article, browser=person.start("second"))
    again.press("chats")
    again.page.click("#chats [data-action='open-chat']")
    again.wait_shown("assistant", answer.text)
    shot(again, "found-again")
    shown = again.transcript()
    assert [message.text for message in shown if message.role == "user"] == [QUESTION, "What did the ship carry?"]
    (chat,) = again.request("sessions.list")["sessions"]
    stored = again.request("sessions.get", id=chat["id"], pixels="none")["messages"]
    assert any("Ingrid Holm" in str(message["content"]) for message in stored), "the attached page"


def test_an_answer_streams_into_the_panel_word_by_word(person: Person, article: str, model: ModelServer) -> None:
    panel = person.open(article)
    choose(panel, model)
    model.gate.clear()
    panel.send(QUESTION)
    answers = panel.answers()
    while "light" not in (answer := next(answers)).text:
        pass
    assert answer.busy
    assert "twice" not in answer.text
    model.gate.set()
    assert [*answers][-1].text.strip() == model.answer


def test_the_attached_page_is_what_the_model_is_asked_about(person: Person, article: str, model: ModelServer) -> None:
    panel = person.open(article)
    choose(panel, model)
    panel.attach_page()
    panel.send(QUESTION)
    panel.wait_answer()
    sent = str(model.requests[-1]["messages"])
    assert "Ingrid Holm" in sent
    assert QUESTION in sent


def test_a_panel_closed_mid_answer_shows_it_whole_when_it_opens_again(
    person: Person, article: str, model: ModelServer
) -> None:
    browser = person.start()
    page = browser.open(article)
    panel = Panel(browser.open_panel(page))
    panel.wait_ready()
    choose(panel, model)
    model.gate.clear()
    panel.send(QUESTION)
    panel.wait_shown("assistant", "light")
    panel.page.close()
    model.gate.set()
    again = Panel(browser.open_panel(page))
    again.wait_shown("assistant", model.answer)
    assert not again.transcript()[-1].interrupted


def test_a_panel_reopened_while_the_answer_runs_catches_up(person: Person, article: str, model: ModelServer) -> None:
    browser = person.start()
    page = browser.open(article)
    panel = Panel(browser.open_panel(page))
    panel.wait_ready()
    choose(panel, model)
    model.gate.clear()
    panel.send(QUESTION)
    panel.wait_shown("assistant", "light")
    panel.page.close()
    again = Panel(browser.open_panel(page))
    again.wait_shown("assistant", "The light")
    model.gate.set()
    again.wait_shown("assistant", model.answer)


def test_escape_stops_an_answer_and_keeps_its_beginning(person: Person, article: str, model: ModelServer) -> None:
    from tasks.page import ESCAPE

    panel = person.open(article)
    choose(panel, model)
    model.gate.clear()
    panel.send(QUESTION)
    panel.wait_shown("assistant", "light")
    panel.page.press(ESCAPE)
    answer = panel.wait_answer()
    assert answer.interrupted
    assert "light" in answer.text
    stored = panel.request("history.get", pixels="none")["messages"][-1]
    assert stored["interrupted"] is True
    assert "twice" not in stored["content"]


def test_two_profiles_share_one_store(person: Person, article: str, model: ModelServer) -> None:
    first = person.open(article, browser=person.start("first"))
    choose(first, model)
    second = person.open(article, browser=person.start("second"))
    first.send("From the first")
    second.send("From the second")
    first.wait_answer()
    second.wait_answer()
    chats = first.request("sessions.list")["sessions"]
    assert sorted(chat["name"] for chat in chats) == ["From the first", "From the second"]
