"""hello, private windows, temporary chats, status."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser import model_server
from tests.browser.model_server import ModelServer
from tests.support.host import RunningHost, WireError
from tests.support.turns import ask, ask_halfway, choose, stored_messages


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def host(home: Path) -> Iterator[RunningHost]:
    with RunningHost(home) as running:
        yield running


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with model_server.running() as server:
        yield server


def test_hello_tells_of_the_store(host: RunningHost) -> None:
    first = host.hello()
    assert (first["server"], first["protocol"]) == ("sidekeep", 1)
    assert first["store"]["engine"] == "sqlite"
    assert first["store"]["conversations"] == 0
    host.request("history.append", message={"role": "user", "content": "a"})
    again = host.hello()
    assert again["store"]["conversations"] == 1
    assert again["store"]["id"] == first["store"]["id"]


@pytest.mark.parametrize(("protocol", "older"), [(0, "extension"), (2, "host"), (9999, "host")])
def test_another_protocol_is_told_who_is_to_be_updated(host: RunningHost, protocol: int, older: str) -> None:
    with pytest.raises(WireError) as refused:
        host.hello(protocol=protocol)
    assert refused.value.code == -32001
    assert (refused.value.data["supported"], refused.value.data["update"]) == ([1], older)
    assert "build.py" in refused.value.data["command"], "the tests run from a checkout"
    assert refused.value.data["command"] in refused.value.message
    assert host.hello()["protocol"] == 1, "the port stays open"


def test_another_hello_may_name_another_profile(host: RunningHost) -> None:
    host.hello(profile="one")
    host.request("history.append", message={"role": "user", "content": "of one"})
    host.hello(profile="two")
    assert stored_messages(host) == []
    host.hello(profile="one")
    assert [message["content"] for message in stored_messages(host)] == ["of one"]


def test_status_counts(host: RunningHost) -> None:
    host.hello()
    host.request("history.append", message={"id": "a", "role": "user", "content": "a"})
    host.request("history.append", message={"id": "b", "role": "user", "content": "b"})
    host.request("history.remove", id="b")
    status = host.request("status")
    assert (status["conversations"], status["messages"], status["archives"]["count"]) == (1, 1, 1)
    assert status["model"] == {"installed": False, "running": False}


def _everything_on_disk(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_a_private_window_reads_settings_and_leaves_nothing(home: Path, host: RunningHost, model: ModelServer) -> None:
    with RunningHost(home) as normal:
        normal.hello()
        choose(normal, model)
        normal.request("storage.set", items={"theme": "dark"})
        normal.request("history.append", message={"role": "user", "content": "normal"})
    host.hello(incognito=True)
    assert host.request("storage.get", keys="theme") == {"items": {"theme": "dark"}}
    assert stored_messages(host) == []
    assert host.request("sessions.list")["total"] == 0
    assert ask(host, "a private question")["message"]["content"] == model.answer
    host.request("storage.set", items={"private key": "private value"})
    assert host.request("sessions.list")["total"] == 1
    host.end()
    assert b"private" not in _everything_on_disk(home)
    with RunningHost(home) as later:
        later.hello()
        assert [message["content"] for message in stored_messages(later)] == ["normal"]


def test_a_temporary_chat_leaves_nothing_and_the_chat_before_stays(
    home: Path, host: RunningHost, model: ModelServer
) -> None:
    host.hello()
    choose(host, model)
    host.request("history.append", message={"role": "user", "content": "to stay"})
    host.request("history.clear", temporary=True)
    assert ask(host, "a fleeting question")["message"]["content"] == model.answer
    page = {"url": "https://e.org/", "title": "fleeting", "mode": "m", "text": "a fleeting page"}
    host.request("attachments.add", page=page)
    assert len(stored_messages(host)) == 3
    assert [chat["name"] for chat in host.request("sessions.list")["sessions"]] == ["to stay"]
    host.request("history.clear")
    assert stored_messages(host) == []
    host.end()
    assert b"fleeting" not in _everything_on_disk(home)


def test_loading_a_chat_ends_a_temporary_one(host: RunningHost) -> None:
    host.hello()
    host.request("history.append", message={"role": "user", "content": "saved"})
    chat = host.request("history.get")["activeSessionId"]
    host.request("history.clear", temporary=True)
    host.request("history.append", message={"role": "user", "content": "fleeting"})
    host.request("sessions.load", id=chat)
    assert [message["content"] for message in stored_messages(host)] == ["saved"]


def test_the_area_shows_the_temporary_chat_that_is_open(host: RunningHost) -> None:
    host.hello()
    host.request("history.clear", temporary=True)
    host.request("history.append", message={"id": "a", "role": "user", "content": "fleeting", "createdAt": 1})
    history = host.request("storage.get", keys="history")["items"]["history"]
    assert [message["content"] for message in history] == ["fleeting"]


def test_a_temporary_chat_announces_its_conversation_and_no_saved_chat(host: RunningHost) -> None:
    host.hello()
    host.request("history.clear", temporary=True)
    host.request("history.append", message={"id": "a", "role": "user", "content": "fleeting", "createdAt": 1})
    heard = {key for event in host.events("storage.onChanged") for key in event["changes"]}
    assert heard == {"history", "activeSessionId"}


def _changes(host: RunningHost, after: int, key: str) -> list[tuple[Any, Any]]:
    """What was announced of a key: its values before and after, conversations as their texts."""

    def plain(value: Any) -> Any:
        return [message["content"] for message in value] if isinstance(value, list) else value

    told = [m["params"]["changes"] for m in host.messages[after:] if m.get("method") == "storage.onChanged"]
    return [(plain(c[key].get("oldValue")), plain(c[key].get("newValue"))) for c in told if key in c]


@pytest.mark.parametrize("leave", ["new chat", "another temporary one", "load"])
def test_leaving_a_temporary_chat_announces_what_the_conversation_is_now(host: RunningHost, leave: str) -> None:
    host.hello()
    host.request("history.append", message={"role": "user", "content": "saved"})
    saved = host.request("history.get")["activeSessionId"]
    host.request("history.clear", temporary=True)
    after = len(host.messages)
    host.request("history.append", message={"role": "user", "content": "fleeting"})
    fleeting = host.request("history.get")["activeSessionId"]
    assert _changes(host, after, "history") == [([], ["fleeting"])]
    assert _changes(host, after, "activeSessionId") == [("", fleeting)]
    after = len(host.messages)
    if leave == "load":
        host.request("sessions.load", id=saved)
    else:
        host.request("history.clear", temporary=leave != "new chat")
    now, active = (["saved"], saved) if leave == "load" else ([], "")
    assert _changes(host, after, "history") == [(["fleeting"], now)]
    assert _changes(host, after, "activeSessionId") == [(fleeting, active)]


def test_a_temporary_chat_hears_nothing_of_what_the_store_has_in_its_place(home: Path, host: RunningHost) -> None:
    host.hello()
    host.request("history.clear", temporary=True)
    after = len(host.messages)
    with RunningHost(home) as other:
        other.hello()
        other.request("history.append", message={"role": "user", "content": "elsewhere"})
    host.wait_for(lambda m: "savedSessions" in m.get("params", {}).get("changes", {}), after=after)
    assert (_changes(host, after, "history"), _changes(host, after, "activeSessionId")) == ([], [])


def test_a_temporary_chat_asks_whom_the_person_chooses_while_it_is_open(host: RunningHost, model: ModelServer) -> None:
    host.hello()
    choose(host, model)
    host.request("history.clear", temporary=True)
    ask(host, "one")
    chosen = {"test": {**model.provider(), "model": "another"}}
    host.request("storage.set", items={"providers": chosen, "systemPrompt": "Be brief."})
    assert ask(host, "two")["message"]["model"] == "another"
    assert model.requests[-1]["messages"][0] == {"role": "system", "content": "Be brief."}
    host.request("storage.remove", keys=["systemPrompt"])
    ask(host, "three")
    assert model.requests[-1]["messages"][0]["content"] != "Be brief."


def test_whoever_listens_has_seen_a_refused_question_go_before_the_refusal(host: RunningHost) -> None:
    host.hello()
    after = len(host.messages)
    with pytest.raises(WireError) as refused:
        host.request("turn.send", text="w " * 400_000)
    assert refused.value.kind == "payload_too_large"
    _, now = _changes(host, after, "history")[-1]
    assert len(now) == len(stored_messages(host)) == 0


def test_a_panel_that_opens_late_learns_of_the_running_turn(host: RunningHost, model: ModelServer) -> None:
    host.hello()
    choose(host, model)
    turn = ask_halfway(host, model, "?")
    (running,) = host.request("turn.peek")["turns"]
    assert (running["turn"], running["text"]) == (turn, "".join(model.words[:2]))
    assert running["session"] == host.request("history.get")["activeSessionId"]
    model.gate.set()
    host.wait_for(lambda message: message.get("method") == "turn.done")
    assert host.request("turn.peek") == {"turns": []}


def test_a_cancelled_turn_is_done_before_its_reply(host: RunningHost, model: ModelServer) -> None:
    host.hello()
    choose(host, model)
    turn = ask_halfway(host, model, "?")
    host.request("turn.cancel", turn=turn)
    (done,) = host.events("turn.done")
    assert done["message"]["interrupted"] is True
    assert host.events("turn.failed") == []


@pytest.mark.parametrize("asked_in", ["a chat that is kept", "a temporary chat"])
def test_a_turn_can_be_stopped_after_its_conversation_was_left(
    host: RunningHost, model: ModelServer, asked_in: str
) -> None:
    is_temporary = asked_in == "a temporary chat"
    host.hello()
    choose(host, model)
    host.request("history.clear", temporary=is_temporary)
    turn = ask_halfway(host, model, "Stop me?")
    host.request("history.clear", temporary=not is_temporary)
    assert [running["turn"] for running in host.request("turn.peek")["turns"]] == [turn]
    host.request("turn.cancel", turn=turn)
    assert host.event("turn.done")["message"]["interrupted"] is True
    assert host.request("turn.peek") == {"turns": []}


@pytest.mark.parametrize("first", [False, True])
def test_another_hello_may_not_turn_a_window_private_or_public(host: RunningHost, first: bool) -> None:
    """What would be answered as if it were done would put a private window's conversation on the disk."""
    host.hello(incognito=first)
    with pytest.raises(WireError) as refused:
        host.hello(incognito=not first)
    assert refused.value.kind == "invalid_request"
    host.hello(incognito=first)
