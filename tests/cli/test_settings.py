"""`sidekeep settings`: what is in force, what is wrong, and the confirmation of a lowered limit."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Sidekeep
from tests.support.host import RunningHost

from sidekeep.settings.model import KEYS


@pytest.fixture
def file(home: Path) -> Path:
    home.mkdir()
    return home / "settings.toml"


def _three_chats(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        for name in ("first", "second", "third"):
            host.request("history.append", message={"role": "user", "content": name})
            host.request("history.clear")


@pytest.mark.parametrize("arguments", [(), ("show",)], ids=["no action", "show"])
def test_it_shows_every_key_and_where_it_comes_from(sidekeep: Sidekeep, file: Path, arguments: tuple[str, ...]) -> None:
    file.write_text("[log]\nlevel = 'debug'\n[limits]\nchats = 5\n", "utf-8")
    with RunningHost(file.parent) as host:
        host.hello()
        host.request("settings.set", settings={"backup.daily": 3})
    shown = sidekeep("settings", *arguments)
    assert shown.returncode == 0
    lines = {line.split()[0]: line for line in shown.stdout.splitlines()}
    assert lines.keys() == KEYS.keys()
    assert '"debug"  (file)' in lines["log.level"]
    assert "3  (panel)" in lines["backup.daily"]
    assert "200  (file; 5 waits: sidekeep settings confirm)" in lines["limits.chats"]
    found = json.loads(sidekeep("settings", *arguments, "--json").stdout)
    assert found["settings"].keys() == found["source"].keys() == KEYS.keys()
    assert (found["pending"], found["wrong"]) == ({"limits.chats": 5}, None)


def test_looking_makes_nothing(sidekeep: Sidekeep, home: Path) -> None:
    for action in ("show", "path", "check", "confirm"):
        assert sidekeep("settings", action).returncode == 0
    assert not home.exists()


def test_it_says_where_the_file_is(sidekeep: Sidekeep, home: Path) -> None:
    file = home / "settings.toml"
    assert sidekeep("settings", "path").stdout == f"{file}\n"
    assert json.loads(sidekeep("settings", "path", "--json").stdout) == {"path": str(file), "exists": False}


def test_every_wrong_line_is_named(sidekeep: Sidekeep, file: Path) -> None:
    file.write_text("[log]\nlevel = 'loud'\n[backup]\ndaily = -1\n", "utf-8")
    checked = sidekeep("settings", "check")
    assert checked.returncode == 1
    assert [line.partition(": ")[0] for line in checked.stdout.splitlines()] == [f"{file}:2", f"{file}:4"]
    problems = json.loads(sidekeep("settings", "check", "--json").stdout)["problems"]
    assert [problem["line"] for problem in problems] == [2, 4]


def test_a_slip_of_the_pen_is_named_and_no_fault(sidekeep: Sidekeep, file: Path) -> None:
    file.write_text("[limits]\nchat = 5\n", "utf-8")
    checked = sidekeep("settings", "check")
    assert (checked.returncode, checked.stdout.startswith(f"{file}:2: limits.chat ")) == (0, True)


def test_a_file_that_is_right_is_said_to_be(sidekeep: Sidekeep, file: Path) -> None:
    file.write_text("[limits]\nchats = 5\n", "utf-8")
    checked = sidekeep("settings", "check")
    assert (checked.returncode, "nothing is wrong" in checked.stdout) == (0, True)


def test_a_wrong_file_is_told_with_what_is_in_force(sidekeep: Sidekeep, file: Path) -> None:
    file.write_text("wrong", "utf-8")
    shown = sidekeep("settings")
    assert shown.returncode == 0
    assert "line 1: this is not TOML" in shown.stderr
    assert len(shown.stdout.splitlines()) == len(KEYS)
    refused = sidekeep("settings", "confirm", "--yes")
    assert refused.returncode == 1
    assert "line 1: this is not TOML" in refused.stderr


def test_a_confirmation_says_what_would_leave_and_asks(sidekeep: Sidekeep, file: Path) -> None:
    _three_chats(file.parent)
    file.write_text("[limits]\nchats = 1\n", "utf-8")
    asked = sidekeep("settings", "confirm")
    assert asked.returncode == 1
    assert "limits.chats: 1 instead of 200" in asked.stdout
    assert "2 chats" in asked.stdout
    assert "first (1 messages)" in asked.stdout
    assert "third" not in asked.stdout
    assert "sidekeep settings confirm --yes" in asked.stderr
    assert json.loads(sidekeep("settings", "--json").stdout)["pending"] == {"limits.chats": 1}


def test_a_limit_can_be_confirmed(sidekeep: Sidekeep, file: Path) -> None:
    file.write_text("[limits]\nchats = 1\nmessages = 2\n", "utf-8")
    confirmed = sidekeep("settings", "confirm", "--yes", "--json")
    assert json.loads(confirmed.stdout) == {"confirmed": {"limits.chats": 1, "limits.messages": 2}}
    found = json.loads(sidekeep("settings", "--json").stdout)
    assert (found["settings"]["limits.chats"], found["settings"]["limits.messages"], found["pending"]) == (1, 2, {})
    assert "Nothing waits" in sidekeep("settings", "confirm").stdout


@pytest.mark.parametrize(("answer", "confirmed"), [(b"y\n", True), (b"n\n", False), (b"\n", False)])
def test_a_person_at_a_terminal_is_asked(sidekeep: Sidekeep, file: Path, answer: bytes, confirmed: bool) -> None:
    file.write_text("[limits]\nchats = 1\n", "utf-8")
    ours, terminal = pty.openpty()
    try:
        os.write(ours, answer)
        result = subprocess.run(
            [sys.executable, "-P", "-m", "sidekeep", "settings", "confirm"],
            stdin=terminal,
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(terminal)
    assert (result.returncode == 0) == confirmed
    pending = json.loads(sidekeep("settings", "--json").stdout)["pending"]
    assert pending == ({} if confirmed else {"limits.chats": 1})
