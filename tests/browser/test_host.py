"""The host missing, killed, or in two copies: the panel says so, and loses nothing that was typed."""

import os
import signal
import sys

import pytest
from tests.browser.conftest import Person, choose, shot
from tests.browser.model_server import ModelServer

from tasks import manifest
from tasks.panel import Panel

DRAFT = "document.querySelector('#composer-input').value"


def test_a_missing_host_is_told_with_the_command_that_repairs_it(person: Person, article: str) -> None:
    browser = person.start(with_manifest=False)
    panel = Panel(browser.open_panel(browser.open(article)))
    panel.wait_state("no-host")
    shot(panel, "no-host")
    assert "not installed for this browser" in panel.alert
    assert panel.page.evaluate("document.querySelector('main code').innerText") == "python3 build.py run"


def test_check_again_finds_a_host_that_was_installed_meanwhile(
    person: Person, article: str, model: ModelServer
) -> None:
    browser = person.start(with_manifest=False)
    panel = Panel(browser.open_panel(browser.open(article)))
    panel.wait_state("no-host")
    panel.type("Are you there?")
    manifest.install(browser.profile)
    panel.press("check-again")
    panel.wait_state("ready")
    choose(panel, model)
    panel.send("")
    panel.wait_shown("user", "Are you there?")
    panel.wait_shown("assistant", model.answer)


def kill_hosts(person: Person) -> None:
    for pid in person.host_pids():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="finds the host in /proc")
def test_a_killed_host_costs_no_typing_and_the_next_question_works(
    person: Person, article: str, model: ModelServer
) -> None:
    panel = person.open(article)
    choose(panel, model)
    panel.send("First")
    panel.wait_answer()
    panel.type("A long thought, not yet sent")
    with panel.coming_back():
        kill_hosts(person)
    assert panel.page.evaluate(DRAFT) == "A long thought, not yet sent"
    panel.send(", and now sent")
    panel.wait_shown("user", "A long thought, not yet sent, and now sent")
    assert panel.wait_answer().text.strip() == model.answer
    assert [shown.role for shown in panel.transcript()] == ["user", "assistant", "user", "assistant"]


@pytest.mark.skipif(sys.platform != "linux", reason="finds the host in /proc")
def test_a_host_killed_mid_answer_is_told_and_the_question_is_kept(
    person: Person, article: str, model: ModelServer
) -> None:
    panel = person.open(article)
    choose(panel, model)
    model.gate.clear()
    panel.send("Say it")
    panel.wait_shown("assistant", "light")
    with panel.coming_back():
        kill_hosts(person)
    model.gate.set()
    panel.send("Again")
    panel.wait_shown("assistant", model.answer)
    texts = [shown.text for shown in panel.transcript() if shown.role == "user"]
    assert texts == ["Say it", "Again"]


def test_what_is_typed_outlives_the_worker(person: Person, article: str, model: ModelServer) -> None:
    browser = person.start()
    panel = person.open(article, browser=browser)
    choose(panel, model)
    panel.type("Half a ques")
    browser.kill_worker()
    panel.send("tion")
    panel.wait_shown("user", "Half a question")
    panel.wait_shown("assistant", model.answer)


def test_what_the_host_has_to_tell_of_itself_is_shown_and_can_be_dismissed(person: Person, article: str) -> None:
    panel = person.open(article)
    panel.wait_state("ready")
    (person.home / "settings.toml").write_text('[log]\nlevel = "loud"\n', encoding="utf-8")
    told = "document.querySelector('#host-notices p')?.innerText ?? ''"
    panel.page.until(f"({told}).includes('line 2')", what="the wrong line to be told")
    shot(panel, "host-notice")
    assert "loud" not in panel.page.evaluate(told)
    panel.page.evaluate("document.querySelector('#host-notices button').click()")
    assert panel.page.evaluate("document.querySelector('#host-notices').hidden")
