"""Values at the edges of JSON: each is kept, or refused in words, and never an unexpected error."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.host import RunningHost, WireError

TOO_DEEP = 300


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHost]:
    home: Path = tmp_path_factory.mktemp("odd") / "home"
    with RunningHost(home) as running:
        running.hello()
        yield running


def _deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("storage.set", {"items": {"a": _deep(TOO_DEEP)}}),
        ("storage.get", {"keys": {"not there": _deep(TOO_DEEP)}}),
        ("storage.get", {"keys": {"not there": _deep(254)}}),
        ("history.append", {"message": {"role": "user", "content": "a", "odd": _deep(TOO_DEEP)}}),
        ("adoption.body", {"id": "a", "value": _deep(TOO_DEEP)}),
        ("adoption.finish", {"items": {"a": _deep(TOO_DEEP)}}),
        ("storage.set", {"items": {"providers": _deep(900)}}),
        ("adoption.finish", {"items": {"providers": _deep(900)}}),
    ],
)
def test_what_is_nested_too_deeply_is_refused_in_words(host: RunningHost, method: str, params: Any) -> None:
    with pytest.raises(WireError) as refused:
        host.request(method, **params)
    assert refused.value.kind == "invalid_params"
    assert "nested too deeply" in refused.value.message


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("archive.purge", {"before": 2**63}),
        ("archive.list", {"offset": 2**63}),
        ("sessions.list", {"offset": 2**63}),
    ],
)
def test_a_number_that_the_store_cannot_have_is_refused_in_words(host: RunningHost, method: str, params: Any) -> None:
    with pytest.raises(WireError) as refused:
        host.request(method, **params)
    assert refused.value.kind == "invalid_params"


@pytest.mark.parametrize("created_at", [2**63, 10**19, -(2**63)])
def test_a_time_that_no_clock_tells_is_kept_as_it_was_set(host: RunningHost, created_at: int) -> None:
    history = [{"content": "a", "createdAt": created_at, "role": "user"}]
    host.request("storage.set", items={"history": history, "session_a": history})
    assert host.request("storage.get", keys=["history", "session_a"])["items"] == {
        "history": history,
        "session_a": history,
    }
    host.request("history.append", message=history[0])


def test_a_chat_whose_time_is_beyond_the_calendar_is_adopted(host: RunningHost) -> None:
    host.request("adoption.body", id="old", value=[{"role": "user", "content": ""}])
    host.request("adoption.finish", items={"savedSessions": [{"id": "old", "createdAt": 1_700_000_000_000_000_000}]})
    assert "old" in [chat["id"] for chat in host.request("sessions.list")["sessions"]]
