"""storage.* over the wire: shapes, order, what is announced."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.host import RunningHost, WireError, frame

from sidekeep.domain.area_keys import GET_ALL_KEYS


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHost]:
    """One host for all tests of this file; each begins with an empty area."""
    with RunningHost(tmp_path_factory.mktemp("storage") / "home") as running:
        running.hello()
        yield running


@pytest.fixture
def host(shared: RunningHost) -> RunningHost:
    shared.request("storage.watch", keys=["history", "session_*"], values=True)
    shared.request("storage.clear")
    shared.messages.clear()
    return shared


def _changes(host: RunningHost) -> list[Any]:
    return [event["changes"] for event in host.events("storage.onChanged")]


@pytest.mark.parametrize(
    ("keys", "items"),
    [
        ("a", {"a": 1}),
        (["a", "b", "nothing"], {"a": 1, "b": {"x": [1]}}),
        ([], {}),
        ("nothing", {}),
        (None, {"a": 1, "b": {"x": [1]}}),
        ({"a": 5, "c": "default"}, {"a": 1, "c": "default"}),
        ({"b": {"y": 2}}, {"b": {"x": [1], "y": 2}}),
        ({}, {}),
    ],
)
def test_get_takes_every_form_of_keys(host: RunningHost, keys: Any, items: dict[str, Any]) -> None:
    host.request("storage.set", items={"a": 1, "b": {"x": [1]}})
    assert host.request("storage.get", keys=keys) == {"items": items}


def test_get_without_keys_gives_everything(host: RunningHost) -> None:
    host.request("storage.set", items={"a": 1})
    assert host.request("storage.get") == {"items": {"a": 1}}


def test_get_all_has_every_light_key(host: RunningHost) -> None:
    assert host.request("storage.getAll")["items"].keys() == set(GET_ALL_KEYS)


def test_keys_are_listed_and_removed(host: RunningHost) -> None:
    host.request("storage.set", items={"b": 1, "a": 2})
    assert host.request("storage.getKeys") == {"keys": ["a", "b"]}
    host.request("storage.remove", keys=["a", "nothing"])
    assert host.request("storage.getKeys") == {"keys": ["b"]}


def test_a_write_is_announced_before_its_reply(host: RunningHost) -> None:
    number = host.start("storage.set", items={"a": {"x": 1}, "b": 2})
    host.result(number)
    kinds = [message.get("method", message.get("id")) for message in host.messages]
    assert kinds == ["storage.onChanged", number]
    assert _changes(host) == [{"a": {"newValue": {"x": 1}}, "b": {"newValue": 2}}]
    assert host.events("storage.onChanged")[0]["areaName"] == "local"


def test_a_change_has_both_values_and_a_removal_the_old_one(host: RunningHost) -> None:
    host.request("storage.set", items={"a": 1})
    host.request("storage.set", items={"a": 2})
    host.request("storage.set", items={"a": 2})
    host.request("storage.remove", keys="a")
    assert _changes(host) == [
        {"a": {"newValue": 1}},
        {"a": {"newValue": 2, "oldValue": 1}},
        {"a": {"oldValue": 2}},
    ]


def test_a_watched_key_is_announced_without_its_values(host: RunningHost) -> None:
    host.request("storage.watch", keys=["session_*", "heavy"], values=False)
    host.request("storage.set", items={"session_1": [1], "heavy": 1, "light": 1})
    assert _changes(host) == [{"session_1": {"stale": True}, "heavy": {"stale": True}, "light": {"newValue": 1}}]
    host.request("storage.watch", keys=["session_*", "heavy"], values=True)
    host.request("storage.set", items={"heavy": 2})
    assert _changes(host)[-1] == {"heavy": {"newValue": 2, "oldValue": 1}}


def test_the_conversations_changes_are_announced_as_the_keys_they_are(host: RunningHost) -> None:
    host.request("history.append", message={"id": "a", "role": "user", "content": "hi", "createdAt": 1})
    (first,) = _changes(host)
    assert first["history"]["newValue"] == [{"id": "a", "role": "user", "content": "hi", "createdAt": 1}]
    assert first["activeSessionId"]["newValue"]
    host.request("history.append", message={"id": "a", "role": "user", "content": "hi again"})
    assert len(_changes(host)) == 1, "what was written already changes nothing"
    host.request("history.clear")
    assert _changes(host)[1]["history"] == {"oldValue": first["history"]["newValue"], "newValue": []}


def test_requests_are_answered_in_order_whatever_their_size(host: RunningHost) -> None:
    host.request("storage.watch", keys=["big", "history"], values=False)
    numbered: list[Any] = []
    for turn in range(20):
        big = {"big": "x" * 1_500_000, "turn": turn} if turn % 5 == 0 else {"turn": turn}
        numbered += [host.numbered("storage.set", {"items": big}), host.numbered("storage.get", {"keys": "turn"})]
    host.write(b"".join(map(frame, numbered)))
    turns = [host.result(request["id"])["items"]["turn"] for request in numbered[1::2]]
    assert turns == list(range(20))
    ids = [message["id"] for message in host.messages if message.get("id") in {request["id"] for request in numbered}]
    assert ids == [request["id"] for request in numbered]


@pytest.mark.parametrize(
    ("method", "params", "loc"),
    [
        ("storage.get", {"keys": 5}, "keys"),
        ("storage.get", {"keys": ["a", 5]}, "keys"),
        ("storage.set", {"items": []}, "items"),
        ("storage.set", {}, "items"),
        ("storage.remove", {"keys": None}, "keys"),
        ("storage.watch", {"keys": ["a"]}, "values"),
        ("history.append", {"message": "x"}, "message"),
        ("turn.send", {"images": [5]}, "images.0"),
        ("sessions.list", {"limit": "5"}, "limit"),
    ],
)
def test_bad_params_say_where(host: RunningHost, method: str, params: dict[str, Any], loc: str) -> None:
    with pytest.raises(WireError) as refused:
        host.request(method, **params)
    assert refused.value.code == -32602
    assert refused.value.data["errors"]
    assert all(error["loc"].startswith(loc) and error["msg"] for error in refused.value.data["errors"])


def test_values_survive_the_wire_whatever_they_are(host: RunningHost, tmp_path: Path) -> None:
    items = {"é😀": {"": None, "deep": [[[{"x": 1e300}]]]}, "\u2028": "<\x00>", "n": -(2**53), "__proto__": {"a": 1}}
    host.request("storage.set", items=items)
    assert host.request("storage.get", keys=None) == {"items": items}
