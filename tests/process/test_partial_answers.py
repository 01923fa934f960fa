"""A host that is killed in the middle of an answer: what had come of it is there at the next start, marked interrupted."""

from pathlib import Path
from typing import Any

import apsw
from tests.browser.model_server import ModelServer
from tests.support.host import RunningHost
from tests.support.turns import ask, ask_halfway, choose, stored_messages
from tests.support.waiting import wait_until


def noted(home: Path) -> str:
    """The text of all partial answers in the store."""
    connection = apsw.Connection(str(home / "sidekeep.sqlite3"), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(5000)
    try:
        return "".join(text for (text,) in connection.execute("SELECT text FROM partial_texts ORDER BY piece"))
    finally:
        connection.close()


def wait_until_noted(home: Path, text: str) -> None:
    wait_until(lambda: noted(home) == text, "what had come was not written down")


def kill_halfway(host: RunningHost, model: ModelServer, question: str) -> str:
    """Ask, kill the host once half of the answer is written down, and return that half."""
    choose(host, model)
    ask_halfway(host, model, question)
    half = "".join(model.words[:2])
    wait_until_noted(host.home, half)
    host.kill()
    model.gate.set()
    return half


def said(host: RunningHost) -> list[tuple[Any, Any]]:
    """The live conversation: each message's text, and whether it is marked interrupted."""
    return [(message["content"], message.get("interrupted")) for message in stored_messages(host)]


def test_what_had_come_is_there_at_the_next_start(home: Path, model: ModelServer) -> None:
    with RunningHost(home) as host:
        host.hello()
        half = kill_halfway(host, model, "Will you die?")
    for _ in range(2):  # and it is there once, however many hosts start
        with RunningHost(home) as later:
            later.hello()
            assert said(later) == [("Will you die?", None), (half, True)]
            (chat,) = later.request("sessions.list")["sessions"]
            assert chat["messages"] == 2
    assert noted(home) == ""


def test_what_had_come_stands_before_the_next_question_of_a_host_that_ran_on(home: Path, model: ModelServer) -> None:
    with RunningHost(home) as second:
        second.hello()
        with RunningHost(home) as first:
            first.hello()
            half = kill_halfway(first, model, "First?")
        ask(second, "Second?")
        assert said(second) == [("First?", None), (half, True), ("Second?", None), (model.answer, None)]


def test_the_answer_of_a_host_that_lives_is_left_to_it(home: Path, model: ModelServer, host: RunningHost) -> None:
    choose(host, model)
    turn = ask_halfway(host, model, "Who answers?")
    wait_until_noted(home, "".join(model.words[:2]))
    with RunningHost(home) as second:
        second.hello()
        assert said(second) == [("Who answers?", None)]
    model.gate.set()
    host.wait_for(lambda message: message.get("method") == "turn.done" and message["params"]["turn"] == turn)
    assert said(host) == [("Who answers?", None), (model.answer, None)]
    assert noted(home) == ""


def test_what_had_come_goes_with_a_chat_that_is_deleted_for_good(home: Path, model: ModelServer) -> None:
    with RunningHost(home) as second:
        second.hello()
        with RunningHost(home) as first:
            first.hello()
            kill_halfway(first, model, "A secret?")
        second.request("sessions.clear", forGood=True)
        assert noted(home) == ""
    with RunningHost(home) as later:
        later.hello()
        assert stored_messages(later) == []
