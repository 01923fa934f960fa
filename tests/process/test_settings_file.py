"""settings.toml edited under running hosts, as people and their editors do it."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.browser.model_server import ModelServer
from tests.support.host import Message, RunningHost, WireError
from tests.support.turns import ask

STRANGER = f"chrome-extension://{'a' * 32}/"
WAIT_S = 60.0

Edit = Callable[[str], None]


@pytest.fixture
def file(home: Path) -> Path:
    home.mkdir()
    return home / "settings.toml"


@pytest.fixture
def edit(file: Path) -> Edit:
    """Writes the file in place."""
    return partial(_in_place, file)


@pytest.fixture
def host(file: Path) -> Iterator[RunningHost]:
    with RunningHost(file.parent) as running:
        running.hello()
        yield running


def _logged(host: RunningHost, text: str, *, times: int = 1) -> None:
    """Wait until the log has that line. The wire is left alone: a host watches files once nothing is asked of it."""
    end, never = time.monotonic() + WAIT_S, threading.Event()
    while host.log().count(text) < times:
        assert time.monotonic() < end, host.log()
        never.wait(0.02)


def _notices(message: Message) -> list[str]:
    return [notice["message"] for notice in message["params"]["notices"] if notice["kind"] != "model"]


def _told(host: RunningHost, *texts: str, after: int = 0) -> list[str]:
    """The notices of the first status.changed from message number `after` on that has just so many, with these texts."""

    def is_wanted(message: Message) -> bool:
        if message.get("method") != "status.changed":
            return False
        found = _notices(message)
        return len(found) == len(texts) and all(text in notice for text, notice in zip(texts, found, strict=True))

    return _notices(host.wait_for(is_wanted, within_s=WAIT_S, after=after))


def _setting(host: RunningHost, name: str) -> Any:
    return host.request("settings.get")["settings"][name]


def _in_place(file: Path, text: str) -> None:
    file.write_text(text, "utf-8")


def _by_rename(file: Path, text: str) -> None:
    """As vim, Emacs, VS Code and most others save."""
    scratch = file.with_name("settings.toml~new")
    scratch.write_text(text, "utf-8")
    scratch.replace(file)


def _taken_away_first(file: Path, text: str) -> None:
    """As vim saves with backupcopy=no."""
    backup = file.with_name("settings.toml~")
    if file.exists():
        file.rename(backup)
    file.write_text(text, "utf-8")
    backup.unlink(missing_ok=True)


def _by_link(file: Path, text: str) -> None:
    """The file is a link into a folder of such files."""
    target = file.parent.parent / "dotfiles" / "sidekeep.toml"
    target.parent.mkdir(exist_ok=True)
    target.write_text(text, "utf-8")
    if not file.is_symlink():
        file.unlink(missing_ok=True)
        file.symlink_to(target)


@pytest.mark.parametrize("save", [_in_place, _by_rename, _taken_away_first, _by_link])
@pytest.mark.parametrize("first", ["", "[log]\nlevel = 'warning'\n"], ids=["an empty file", "a file"])
def test_an_edit_counts_however_it_is_saved(file: Path, save: Callable[[Path, str], None], first: str) -> None:
    save(file, first)
    with RunningHost(file.parent) as host:
        host.hello()
        for limit in (50, 40):  # a watch that was lost with the first file misses the second
            save(file, f"[limits]\nchats = {limit}\n")
            _told(host, f"limits.chats was lowered to {limit}")


def test_a_file_that_appears_counts_and_one_that_goes_does_no_more(file: Path, host: RunningHost, edit: Edit) -> None:
    edit("[backup]\ndaily = 1\n")
    _logged(host, "settings changed: backup.daily")
    assert _setting(host, "backup.daily") == 1
    file.unlink()
    _logged(host, "settings changed: backup.daily", times=2)
    found = host.request("settings.get")
    assert (found["settings"]["backup.daily"], found["source"]["backup.daily"]) == (7, "default")


def test_a_wrong_line_is_told_and_the_values_before_it_stay(host: RunningHost, edit: Edit) -> None:
    edit("[backup]\ndaily = 1\n")
    _logged(host, "settings changed: backup.daily")
    edit("[backup]\ndaily = 2\n\n[log\n")
    (notice,) = _told(host, "line 4: this is not TOML")
    assert "stay in force" in notice
    assert _setting(host, "backup.daily") == 1
    assert notice in [found["message"] for found in host.request("status")["notices"]]
    _logged(host, "line 4: this is not TOML")
    edit("[backup]\ndaily = 2\n\n\nweekly = -1\n")
    _told(host, "line 5: backup.weekly")
    assert _setting(host, "backup.daily") == 1
    after = len(host.messages)
    edit("[backup]\ndaily = 2\n")
    _told(host, after=after)
    assert _setting(host, "backup.daily") == 2
    assert host.request("status")["notices"] == [
        notice for notice in host.request("status")["notices"] if notice["kind"] == "model"
    ]


def test_a_host_that_starts_while_the_file_is_wrong_keeps_the_last_good_values(
    file: Path, host: RunningHost, edit: Edit
) -> None:
    edit("[backup]\ndaily = 1\n")
    _logged(host, "settings changed: backup.daily")
    host.end()
    edit("[backup]\ndaily = 'one'\n")
    with RunningHost(file.parent) as later:
        later.hello()
        assert _setting(later, "backup.daily") == 1
        messages = [notice["message"] for notice in later.request("status")["notices"]]
        assert any("line 2: backup.daily" in message for message in messages)


def test_a_key_of_another_version_is_left_alone(file: Path, host: RunningHost, edit: Edit) -> None:
    text = "from_another_version = 1\n[backup]\ndaily = 1\nmonthly = 2\n"
    edit(text)
    _logged(host, "settings changed: backup.daily")
    host.request("settings.set", settings={"backup.weekly": 1})
    assert _setting(host, "backup.weekly") == 1
    assert file.read_text("utf-8") == text
    assert host.events("status.changed") == []


def test_a_lowered_limit_waits_until_the_panel_confirms_it(host: RunningHost, edit: Edit) -> None:
    edit("[limits]\nchats = 2\n")
    _told(host, "limits.chats was lowered to 2 (200 until now)")
    found = host.request("settings.get")
    assert (found["settings"]["limits.chats"], found["pending"]) == (200, {"limits.chats": 2})
    assert host.request("status")["limits"]["chats"] == 200
    after = len(host.messages)
    found = host.request("settings.set", settings={"limits.chats": 2})
    assert (found["settings"]["limits.chats"], found["pending"]) == (2, {})
    _told(host, after=after)


def test_a_confirmation_by_command_reaches_the_running_hosts(home: Path, host: RunningHost, edit: Edit) -> None:
    edit("[limits]\nchats = 2\n")
    with RunningHost(home) as other:
        other.hello()
        _told(host, "limits.chats was lowered to 2")
        assert "limits" in [notice["kind"] for notice in other.request("status")["notices"]], "known from its start on"
        edit("[limits]\nchats = 3\n")  # both watch by now: one that begins to looks at everything
        for running in (host, other):
            _told(running, "limits.chats was lowered to 3")
        seen = [len(running.messages) for running in (host, other)]
        command = [sys.executable, "-m", "sidekeep", "settings", "confirm", "--yes"]
        subprocess.run(
            command, env={**os.environ, "SIDEKEEP_HOME": str(home)}, check=True, timeout=60, capture_output=True
        )
        for running, after in zip((host, other), seen, strict=True):
            _told(running, after=after)
            assert running.request("settings.get")["settings"]["limits.chats"] == 3


def test_what_one_hosts_panel_sets_counts_in_the_other(home: Path, host: RunningHost, edit: Edit) -> None:
    with RunningHost(home) as other:
        other.hello()
        edit("[backup]\nweekly = 1\n")
        _logged(host, "settings changed: backup.weekly", times=2)  # both watch by now
        host.request("settings.set", settings={"backup.daily": 1})
        _logged(other, "settings changed: backup.daily", times=2)
        assert other.request("settings.get")["source"]["backup.daily"] == "panel"


def test_what_counts_from_the_next_start_says_so(home: Path, host: RunningHost, edit: Edit) -> None:
    edit(f'allowed_extensions = ["{"a" * 32}"]\n[limits]\nchats = 1\n')
    _told(host, "limits.chats was lowered", "allowed_extensions was changed. It counts when the browser next starts")
    with RunningHost(home, origin=STRANGER) as stranger:
        stranger.hello()
        with pytest.raises(WireError) as refused:
            stranger.request("settings.set", settings={"limits.chats": 1})
        assert refused.value.kind == "forbidden_origin"
        assert all(notice["kind"] == "model" for notice in stranger.request("status")["notices"])


def test_the_size_of_parts_changes_under_way(host: RunningHost, edit: Edit) -> None:
    host.request("storage.set", items={"long": "x" * 100_000})
    host.request("storage.get", keys="long")
    assert max(host.frame_sizes) > 100_000
    edit("[wire]\npartChars = 2048\n")
    _logged(host, "settings changed: wire.partChars")
    seen = len(host.frame_sizes)
    assert host.request("storage.get", keys="long") == {"items": {"long": "x" * 100_000}}
    assert max(host.frame_sizes[seen:]) < 5000


def test_the_log_level_changes_under_way(host: RunningHost, edit: Edit) -> None:
    edit('[log]\nlevel = "warning"\n[backup]\ndaily = 1\n')
    _logged(host, "settings changed")
    edit('[log]\nlevel = "warning"\n[backup]\ndaily = 2\n[limits]\nchats = 1\n')
    _told(host, "limits.chats")
    assert host.log().count("settings changed") == 1, "the second change is info, and the log begins at warning"
    edit("wrong")
    _logged(host, "not taken over")


def test_the_proxy_changes_with_the_next_question(host: RunningHost, edit: Edit, model: ModelServer) -> None:
    """A server that no name leads to, and a proxy that would know it."""
    provider = {**model.provider(), "baseUrl": "http://model.invalid/v1"}
    host.request("storage.set", items={"providers": {"test": provider}, "activeProvider": "test"})
    assert "error" in ask(host, "Is anybody there?")
    edit(f'[network]\nproxy = "{model.url}"\n')
    _logged(host, "settings changed: network.proxy")
    assert ask(host, "And now?")["message"]["content"] == model.answer
    assert model.url not in host.log()
    host.request("settings.set", settings={"network.proxy": "http://127.0.0.1:9"})
    assert ask(host, "The file wins?")["message"]["content"] == model.answer


def test_a_private_window_takes_edits_over_and_leaves_nothing(file: Path, edit: Edit) -> None:
    with RunningHost(file.parent) as private:
        private.hello(incognito=True)
        edit("[backup]\ndaily = 1\n[limits]\nchats = 1000\n")
        _logged(private, "settings changed")
        assert _setting(private, "backup.daily") == 1
    assert not (file.parent / "settings.good.json").exists()
    with RunningHost(file.parent) as later:
        later.hello()
        assert later.request("settings.get")["settings"]["limits.chats"] == 1000
