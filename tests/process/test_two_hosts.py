"""Two hosts at once, as two profiles make them, and as every reconnect does for a moment."""

from pathlib import Path

import apsw
import pytest
from tests.browser.model_server import ModelServer
from tests.support.appenders import append_at_once
from tests.support.host import RunningHost, WireError
from tests.support.turns import ask, ask_halfway, choose, stored_messages


def test_a_thousand_appends_each_and_none_is_lost(home: Path) -> None:
    ids = append_at_once(home, hosts=2, each=1000)
    assert sorted(ids) == sorted(f"host {host}, {number}" for host in range(2) for number in range(1000))
    for host in range(2):
        own = [name for name in ids if name.startswith(f"host {host},")]
        assert own == [f"host {host}, {number}" for number in range(1000)], "each host's own order is kept"
    connection = apsw.Connection(str(home / "sidekeep.sqlite3"))
    assert connection.pragma("integrity_check") == "ok"
    connection.close()


def test_a_reconnect_whose_old_host_still_runs_sees_everything(home: Path) -> None:
    with RunningHost(home) as old:
        old.hello(profile="p")
        old.request("history.append", message={"id": "a", "role": "user", "content": "before"})
        with RunningHost(home) as new:
            new.hello(profile="p")
            old.request("history.append", message={"id": "b", "role": "user", "content": "meanwhile"})
            old.end()
            new.request("history.append", message={"id": "c", "role": "user", "content": "after"})
            assert [message["id"] for message in stored_messages(new)] == ["a", "b", "c"]


def test_a_second_host_may_not_answer_a_conversation_that_is_being_answered(
    home: Path, host: RunningHost, model: ModelServer
) -> None:
    choose(host, model)
    turn = ask_halfway(host, model, "First?")
    with RunningHost(home) as second:
        second.hello()
        with pytest.raises(WireError) as refused:
            second.request("turn.send", text="Second?")
        assert refused.value.kind == "conflict"
        assert [message["content"] for message in stored_messages(second)] == ["First?"], "nothing was committed"
        model.gate.set()
        host.wait_for(lambda message: message.get("method") == "turn.done" and message["params"]["turn"] == turn)
        assert ask(second, "Second?")["message"]["content"] == model.answer


def test_the_lock_of_a_killed_host_is_free(home: Path, model: ModelServer) -> None:
    with RunningHost(home) as second:
        second.hello()
        with RunningHost(home) as first:
            first.hello()
            choose(first, model)
            ask_halfway(first, model, "First?")
            first.kill()
        model.gate.set()
        assert ask(second, "Second?")["message"]["content"] == model.answer


def test_two_profiles_have_conversations_of_their_own_and_chats_in_common(home: Path) -> None:
    with RunningHost(home) as one, RunningHost(home) as two:
        one.hello(profile="one")
        two.hello(profile="two")
        one.request("history.append", message={"role": "user", "content": "of one"})
        two.request("history.append", message={"role": "user", "content": "of two"})
        assert [message["content"] for message in stored_messages(one)] == ["of one"]
        names = {chat["name"] for chat in two.request("sessions.list")["sessions"]}
        assert names == {"of one", "of two"}


def test_a_chat_whose_answer_is_being_written_does_not_return_to_a_checkpoint(
    home: Path, host: RunningHost, model: ModelServer
) -> None:
    choose(host, model)
    for number in range(3):
        ask(host, f"Question {number}? " * 20)
    chat = host.request("sessions.list")["sessions"][0]["id"]
    checkpoint = host.request("sessions.compact", id=chat, summary="It blinks.")["checkpoint"]["id"]
    turn = ask_halfway(host, model, "Another?")
    with RunningHost(home) as second:
        second.hello()
        for asked in (host, second):
            with pytest.raises(WireError) as refused:
                asked.request("sessions.restore", id=chat, checkpoint=checkpoint)
            assert refused.value.kind == "conflict"
    model.gate.set()
    host.wait_for(lambda message: message.get("method") == "turn.done" and message["params"]["turn"] == turn)
    host.request("sessions.restore", id=chat, checkpoint=checkpoint)
    assert len(stored_messages(host)) == 6
