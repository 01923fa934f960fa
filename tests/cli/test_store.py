"""`sidekeep store`, as people run it."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Sidekeep
from tests.support.host import RunningHost


def _say(home: Path, *texts: str, **hello: Any) -> None:
    with RunningHost(home) as host:
        host.hello(**hello)
        for text in texts:
            host.request("history.append", message={"role": "user", "content": text})
        host.request("history.clear")


def _names(home: Path) -> set[str]:
    with RunningHost(home) as host:
        host.hello()
        return {session["name"] for session in host.request("sessions.list")["sessions"]}


def test_move_takes_everything_along_and_hosts_find_it(sidekeep: Sidekeep, home: Path, tmp_path: Path) -> None:
    _say(home, "here")
    (home / "settings.toml").write_text("[backup]\ndaily = 3\n", "utf-8")
    target = tmp_path / "other disk" / "sidekeep"
    result = sidekeep("store", "move", str(target))
    assert result.returncode == 0, result.stderr
    assert f"Moved and checked: {target}" in result.stdout
    assert not (home / "sidekeep.sqlite3").exists()
    assert list(home.glob("sidekeep.sqlite3.moved-*"))
    assert _names(home) == {"here"}
    assert (target / "settings.toml").read_text("utf-8") == "[backup]\ndaily = 3\n"
    assert json.loads(sidekeep("settings", "--json").stdout)["settings"]["backup.daily"] == 3


def test_a_store_that_was_moved_to_a_drive_that_is_away_is_not_begun_anew(
    sidekeep: Sidekeep, home: Path, tmp_path: Path
) -> None:
    _say(home, "here")
    sidekeep("store", "move", str(tmp_path / "drive"))
    (tmp_path / "drive").rename(tmp_path / "away")
    with RunningHost(home) as host:
        number = host.start("hello", client="t", version="0", protocol=1)
        assert "was moved to" in host.reply(number)["error"]["message"]
    assert not (tmp_path / "drive" / "sidekeep.sqlite3").exists()


@pytest.mark.parametrize("place", ["home", "inside", "full"])
def test_move_refuses_a_folder_that_is_no_good_and_leaves_the_store(
    sidekeep: Sidekeep, home: Path, tmp_path: Path, place: str
) -> None:
    _say(home, "here")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    target = {"home": home, "inside": home / "x", "full": tmp_path / "full"}[place]
    assert sidekeep("store", "move", str(target)).returncode == 1
    assert _names(home) == {"here"}


def test_move_waits_for_nobody(sidekeep: Sidekeep, home: Path, tmp_path: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        result = sidekeep("store", "move", str(tmp_path / "other"))
        assert result.returncode == 1
        assert "in use" in result.stderr
        assert not (tmp_path / "other").exists()


def test_merge_brings_the_chats_of_another_store(sidekeep: Sidekeep, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    _say(other, "theirs", profile="11111111-1111-4111-8111-111111111111")
    _say(home, "mine")
    result = sidekeep("store", "merge", str(other / "sidekeep.sqlite3"), "--json")
    assert json.loads(result.stdout) | {"keysFound": []} == {
        "source": "sidekeep",
        "added": 1,
        "updated": 0,
        "unchanged": 0,
        "checkpoints": 0,
        "archived": 0,
        "failed": [],
        "keysFound": [],
    }
    assert _names(home) == {"mine", "theirs"}
    assert _names(other) == {"theirs"}
    assert "1 unchanged" in sidekeep("store", "merge", str(other / "sidekeep.sqlite3")).stdout
    assert sidekeep("store", "merge", str(home / "sidekeep.sqlite3")).returncode == 1


def test_merge_refuses_what_is_no_store(sidekeep: Sidekeep, home: Path, tmp_path: Path) -> None:
    _say(home, "mine")
    (tmp_path / "x.sqlite3").write_bytes(b"no database at all, but long enough to look like one" * 40)
    assert sidekeep("store", "merge", str(tmp_path / "x.sqlite3")).returncode == 1
    assert sidekeep("store", "merge", str(tmp_path / "gone.sqlite3")).returncode == 1
    assert _names(home) == {"mine"}


def test_check_says_that_a_store_is_sound(sidekeep: Sidekeep, home: Path) -> None:
    assert sidekeep("store", "check").returncode == 1, "there is none yet"
    _say(home, "one")
    result = sidekeep("store", "check")
    assert (result.returncode, "is sound" in result.stdout) == (0, True)


def test_check_repairs_rows_that_do_not_agree(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    with sqlite3.connect(home / "sidekeep.sqlite3") as connection:
        connection.execute("DELETE FROM entry_families")
    connection.close()
    assert sidekeep("store", "check").returncode == 1
    repaired = json.loads(sidekeep("store", "check", "--repair", "--json").stdout)
    assert (repaired["repaired"], repaired["sound"]) == (True, True)
    assert sidekeep("store", "check").returncode == 0


def test_check_puts_a_backup_in_the_place_of_a_damaged_store(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    sidekeep("backup", "now")
    (home / "sidekeep.sqlite3-wal").unlink()
    with (home / "sidekeep.sqlite3").open("r+b") as file:
        file.write(b"no header any more")
    assert sidekeep("store", "check").returncode == 1
    assert sidekeep("store", "check", "--repair").returncode == 0
    assert _names(home) == {"one"}


def test_a_new_store_beside_one_in_the_usual_place_is_told(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "usual"))
    _say(tmp_path / "usual" / "sidekeep", "before")
    with RunningHost(home) as host:
        host.hello()
        notices = host.event("status.changed")["notices"]
        assert any("sidekeep store merge" in notice["message"] for notice in notices), notices


def _move_in_a_process(target: Path, first: str) -> "subprocess.CompletedProcess[str]":
    """`sidekeep store move`, in a process that does something else first."""
    command = f"sys.argv[1:] = ['store', 'move', {str(target)!r}]\nsys.exit(main())"
    program = f"import sys\nfrom sidekeep.__main__ import main\n{first}\n{command}"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)


_KILLED = "import os\nfrom sidekeep.store import copying\ncopying.copy = lambda *_: os.kill(os.getpid(), 9)"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_move_that_was_killed_while_it_copied_leaves_the_store_and_can_be_done_again(
    sidekeep: Sidekeep, home: Path, tmp_path: Path
) -> None:
    _say(home, "here")
    (home / "secrets.json").write_text("{}")
    target = tmp_path / "disk"
    assert _move_in_a_process(target, _KILLED).returncode == -9
    assert (target / "secrets.json").exists()
    assert _names(home) == {"here"}
    result = sidekeep("store", "move", str(target))
    assert result.returncode == 0, result.stderr
    assert _names(home) == {"here"}
    assert not list(target.glob("*.unfinished"))


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size")
def test_a_move_for_which_there_is_no_room_leaves_nothing_behind(
    sidekeep: Sidekeep, home: Path, tmp_path: Path
) -> None:
    _say(home, *("x" * 20_000 for _ in range(20)))
    (home / "settings.toml").write_text("[backup]\ndaily = 3\n", "utf-8")
    target = tmp_path / "disk"
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))"
    result = _move_in_a_process(target, full)
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert list(target.iterdir()) == []
    assert len(_names(home)) == 1
    assert sidekeep("store", "move", str(target)).returncode == 0
