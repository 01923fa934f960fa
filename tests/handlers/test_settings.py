"""settings.get, settings.set, settings.preview: who may set what, and what is shown to whom."""

from pathlib import Path
from typing import Any

import pytest
from tests.browser import model_server
from tests.support.host import RunningHost, WireError
from tests.support.turns import ask_halfway, choose

from sidekeep.settings.model import KEYS, Settings, value_of

FILE_ONLY = [name for name, key in KEYS.items() if not key.panel]


def _chats(host: RunningHost, *names: str) -> None:
    for name in names:
        host.request("history.append", message={"role": "user", "content": name})
        host.request("history.clear")


def _preview(host: RunningHost, **limits: int) -> tuple[list[str], int]:
    asked = {f"limits.{name}": value for name, value in limits.items()}
    evict = host.request("settings.preview", settings=asked)["evict"]
    return [chat["name"] for chat in evict["chats"]], evict["messages"]


def test_without_a_file_every_key_has_its_default(host: RunningHost) -> None:
    found = host.request("settings.get")
    defaults = {name: value_of(Settings(), name) for name in KEYS}
    assert found["settings"] == {**defaults, "allowed_extensions": []}
    assert found["source"] == dict.fromkeys(KEYS, "default")
    assert found["pending"] == {}


def test_what_the_panel_sets_is_answered_and_survives(home: Path, host: RunningHost) -> None:
    answer = host.request("settings.set", settings={"limits.chats": 10, "backup.enabled": False})
    assert answer == host.request("settings.get")
    host.kill()
    with RunningHost(home) as later:
        later.hello()
        found = later.request("settings.get")
    assert found == answer
    assert (found["settings"]["limits.chats"], found["settings"]["backup.enabled"]) == (10, False)
    assert found["source"] == {**dict.fromkeys(KEYS, "default"), "limits.chats": "panel", "backup.enabled": "panel"}


def test_null_takes_the_panels_value_away(host: RunningHost) -> None:
    before = host.request("settings.get")
    host.request("settings.set", settings={"backup.daily": 1})
    assert host.request("settings.set", settings={"backup.daily": None}) == before


def test_a_key_of_the_file_wins_over_the_panel(home: Path) -> None:
    (home / "settings.toml").write_text("[backup]\ndaily = 2\n", "utf-8")
    with RunningHost(home) as host:
        host.hello()
        answer = host.request("settings.set", settings={"backup.daily": 9})
    assert (answer["settings"]["backup.daily"], answer["source"]["backup.daily"]) == (2, "file")


@pytest.mark.parametrize("name", FILE_ONLY)
def test_the_panel_may_not_set_what_is_the_files_alone(host: RunningHost, name: str) -> None:
    default = host.request("settings.get")["settings"][name]
    with pytest.raises(WireError) as refused:
        host.request("settings.set", settings={name: default})
    assert refused.value.kind == "invalid_params"
    assert [error["loc"] for error in refused.value.data["errors"]] == [f"settings.{name}"]
    assert "settings.toml" in refused.value.message


@pytest.mark.parametrize("method", ["settings.set", "settings.preview"])
@pytest.mark.parametrize(
    ("settings", "loc"),
    [
        ({"limits.chats": -1}, "settings.limits.chats"),
        ({"limits.chats": "10"}, "settings.limits.chats"),
        ({"limits.chats": True}, "settings.limits.chats"),
        ({"limits.chats": 10**30}, "settings.limits.chats"),
        ({"backup.enabled": 1}, "settings.backup.enabled"),
        ({"network.proxy": "not an address"}, "settings.network.proxy"),
        ({"limits": {"chats": 1}}, "settings.limits"),
        ({"": 1}, "settings."),
        ({"limits.chat": 1}, "settings.limits.chat"),
        ([], "settings"),
        (None, "settings"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(host: RunningHost, method: str, settings: Any, loc: str) -> None:
    with pytest.raises(WireError) as refused:
        host.request(method, settings=settings)
    assert refused.value.kind == "invalid_params"
    assert [error["loc"] for error in refused.value.data["errors"]] == [loc]


def test_of_several_values_all_are_set_or_none(host: RunningHost) -> None:
    with pytest.raises(WireError):
        host.request("settings.set", settings={"limits.folders": 1, "limits.chats": -1})
    assert host.request("settings.get")["settings"]["limits.folders"] == 50


def test_another_extension_may_set_nothing(stranger: RunningHost) -> None:
    before = stranger.request("settings.get")
    with pytest.raises(WireError) as refused:
        stranger.request("settings.set", settings={"limits.chats": 1})
    assert (refused.value.code, refused.value.kind) == (-32002, "forbidden_origin")
    assert stranger.request("settings.get") == before


def test_another_extension_is_not_shown_the_persons_machine(home: Path, stranger: RunningHost) -> None:
    with RunningHost(home) as own:
        own.hello()
        own.request("settings.set", settings={"network.proxy": "http://me:secret@proxy.example"})
        assert "network.proxy" in own.request("settings.get")["settings"]
    found = stranger.request("settings.get")
    rooms = {name.partition(".")[0] for name in found["settings"]}
    assert rooms == {"limits", "archive", "backup"}
    assert found["source"].keys() == found["settings"].keys()


def test_status_tells_the_limits_in_force(host: RunningHost) -> None:
    assert host.request("status")["limits"] == {"folders": 50, "chats": 200, "messages": 300}
    host.request("settings.set", settings={"limits.chats": 10, "limits.folders": 0})
    assert host.request("status")["limits"] == {"folders": 0, "chats": 10, "messages": 300}


def test_a_preview_names_what_would_leave_and_removes_nothing(host: RunningHost) -> None:
    _chats(host, "a", "b", "c")
    assert _preview(host, chats=1) == (["a", "b"], 0)
    assert _preview(host) == ([], 0)
    host.request("sessions.load", id=host.request("sessions.list")["sessions"][-1]["id"])
    assert _preview(host, chats=1) == (["b", "c"], 0)
    assert host.request("sessions.list")["total"] == 3
    assert host.request("settings.get")["source"]["limits.chats"] == "default"


def test_a_preview_keeps_a_pinned_chat_to_the_last(host: RunningHost) -> None:
    _chats(host, "a", "b", "c")
    index = host.request("storage.get", keys="savedSessions")["items"]["savedSessions"]
    host.request("storage.set", items={"savedSessions": [{**chat, "pinned": chat["name"] == "a"} for chat in index]})
    assert _preview(host, chats=1) == (["b", "c"], 0)


def test_a_preview_keeps_the_chat_that_is_being_answered(host: RunningHost) -> None:
    with model_server.running() as model:
        choose(host, model)
        ask_halfway(host, model, "asked")
        host.request("history.clear")
        _chats(host, "later")
        assert _preview(host, chats=1) == (["later"], 0)


def test_a_private_window_sets_for_itself_alone(home: Path, host: RunningHost) -> None:
    host.request("settings.set", settings={"backup.daily": 3})
    with RunningHost(home) as private:
        private.hello(incognito=True)
        answer = private.request("settings.set", settings={"backup.weekly": 1})["settings"]
        assert (answer["backup.daily"], answer["backup.weekly"]) == (3, 1)
    assert host.request("settings.get")["settings"]["backup.weekly"] == 4
