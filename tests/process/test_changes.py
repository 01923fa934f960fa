"""Every host on a store hears every change, its own and the others', once and in the order of the store."""

import threading
from pathlib import Path
from typing import Any

from tests.support.host import Message, RunningHost

EACH = 5000
KEYS = 7
PROFILE = {"profile": "one"}


def _writes(host: RunningHost, name: str) -> None:
    for number in range(EACH):
        host.start("storage.set", items={f"key {number % KEYS}": [name, number]})


def _changes(host: RunningHost) -> list[Message]:
    return [event["changes"] for event in host.events("storage.onChanged")]


def test_five_thousand_writes_each_to_the_same_keys_and_each_hears_all_of_both(home: Path) -> None:
    with RunningHost(home) as one, RunningHost(home) as other:
        for host in (one, other):
            host.hello(**PROFILE)
        writers = [threading.Thread(target=_writes, args=(host, name)) for host, name in ((one, "1"), (other, "2"))]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        for host in (one, other):
            host.request("storage.getKeys")  # behind every write of its own
        _await_marker(one, other)
        heard = [event for event in _changes(one) if "marker" not in event]
        assert heard == [event for event in _changes(other) if "marker" not in event]
        assert len(heard) == 2 * EACH
        _assert_chained(heard)


def _await_marker(*hosts: RunningHost) -> None:
    """A last change of each host, which all of them have to hear."""
    for number, host in enumerate(hosts):
        host.request("storage.set", items={"marker": number})
    for host in hosts:
        host.wait_for(
            lambda message: (
                message.get("method") == "storage.onChanged"
                and message["params"]["changes"].get("marker", {}).get("newValue") == len(hosts) - 1
            ),
            within_s=60,
        )


def _assert_chained(events: list[Message]) -> None:
    """Each change begins where the one before it on the same key ended."""
    last: dict[str, Any] = {}
    for event in events:
        for key, change in event.items():
            assert change.get("oldValue") == last.get(key)
            last[key] = change["newValue"]


def test_another_host_hears_of_a_question_with_the_conversation_before_and_after(home: Path) -> None:
    with RunningHost(home) as one, RunningHost(home) as other:
        for host in (one, other):
            host.hello(**PROFILE)
        one.request("history.append", message={"id": "a", "role": "user", "content": "first", "createdAt": 1})
        one.request("history.append", message={"id": "b", "role": "user", "content": "second", "createdAt": 2})
        second = other.wait_for(
            lambda message: (
                len(message.get("params", {}).get("changes", {}).get("history", {}).get("newValue", ())) == 2
            )
        )
        change = second["params"]["changes"]["history"]
        assert [message["id"] for message in change["oldValue"]] == ["a"]
        assert [message["id"] for message in change["newValue"]] == ["a", "b"]


def test_a_spared_client_is_told_that_a_value_is_stale(home: Path) -> None:
    with RunningHost(home) as one, RunningHost(home) as other:
        for host in (one, other):
            host.hello(**PROFILE)
        other.request("storage.watch", keys=["history", "session_*"], values=False)
        one.request("history.append", message={"id": "a", "role": "user", "content": "x"})
        changes = other.event("storage.onChanged")["changes"]
        assert changes["history"] == {"stale": True}
        assert [change for key, change in changes.items() if key.startswith("session_")] == [{"stale": True}]


def test_a_profile_hears_nothing_of_another_profiles_conversation(home: Path) -> None:
    with RunningHost(home) as one, RunningHost(home) as other:
        one.hello(profile="one")
        other.hello(profile="two")
        one.request("history.append", message={"id": "a", "role": "user", "content": "x"})
        one.request("storage.set", items={"theme": "dark"})
        other.wait_for(lambda message: "theme" in message.get("params", {}).get("changes", {}))
        heard = {key for event in _changes(other) for key in event}
        assert "history" not in heard
        assert "activeSessionId" not in heard
        assert "savedSessions" in heard  # the chat itself is the person's, whatever the profile


def test_changes_made_before_a_host_greets_are_not_announced_to_it(home: Path) -> None:
    with RunningHost(home) as one, RunningHost(home) as late:
        one.hello(**PROFILE)
        one.request("storage.set", items={"a": 1})
        late.hello(**PROFILE)
        late.request("storage.set", items={"b": 2})
        assert _changes(late) == [{"b": {"newValue": 2}}]


def test_a_change_is_heard_before_the_write_that_made_it_is_answered(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello(**PROFILE)
        number = host.start("storage.set", items={"a": 1})
        host.reply(number)
        kinds = [message.get("method", message.get("id")) for message in host.messages]
        assert kinds.index("storage.onChanged") < kinds.index(number)
