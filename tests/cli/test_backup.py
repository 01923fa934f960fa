"""`sidekeep backup`, as people run it."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Sidekeep
from tests.support.host import RunningHost
from tests.support.turns import stored_messages


def _say(home: Path, *texts: str) -> None:
    with RunningHost(home) as host:
        host.hello()
        for text in texts:
            host.request("history.append", message={"role": "user", "content": text})


def _texts(home: Path) -> list[str]:
    with RunningHost(home) as host:
        host.hello()
        return [message["content"] for message in stored_messages(host)]


def _newest(sidekeep: Sidekeep) -> Path:
    return Path(json.loads(sidekeep("backup", "list", "--json").stdout)[0]["path"])


@pytest.mark.parametrize("action", ["list", "verify", "now"])
def test_where_nothing_is_kept_yet_nothing_is_made(sidekeep: Sidekeep, home: Path, action: str) -> None:
    result = sidekeep("backup", action)
    assert result.returncode == (1 if action == "now" else 0)
    assert "yet" in result.stdout + result.stderr
    assert not home.exists()


def test_now_says_where_and_what(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one", "two")
    result = sidekeep("backup", "now")
    assert result.returncode == 0, result.stderr
    backup = _newest(sidekeep)
    assert f"Made and checked: {backup}" in result.stdout
    assert "messages: 2" in result.stdout
    assert backup.parent == home / "backups"


def test_a_backup_is_made_beside_a_running_host(sidekeep: Sidekeep, home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        host.request("history.append", message={"role": "user", "content": "open"})
        assert sidekeep("backup", "now").returncode == 0
        assert host.request("status")["lastBackupAt"] is not None
        host.request("history.append", message={"role": "user", "content": "still"})


def test_list_tells_what_each_is_kept_for_as_the_settings_say(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    sidekeep("backup", "now")
    backup = _newest(sidekeep)
    older = backup.with_name("sidekeep-20200101T000000Z.sqlite3")
    older.write_bytes(backup.read_bytes())
    listed = json.loads(sidekeep("backup", "list", "--json").stdout)
    assert [(one["name"], one["keptFor"]) for one in listed] == [(backup.name, "day"), (older.name, "day")]
    assert listed[1]["at"] == 1_577_836_800_000
    (home / "settings.toml").write_text("[backup]\ndaily = 1\nweekly = 0\n", "utf-8")
    lines = sidekeep("backup", "list").stdout.splitlines()
    assert "kept for its day" in lines[0]
    assert "goes with the next backup" in lines[1]
    assert f"Removed: {older.name}" in sidekeep("backup", "now").stdout
    assert not older.exists()


def test_verify_tells_the_sound_from_the_damaged(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    sidekeep("backup", "now")
    good = _newest(sidekeep)
    assert sidekeep("backup", "verify").returncode == 0
    bad = good.with_name("sidekeep-20200101T000000Z.sqlite3")
    bad.write_bytes(good.read_bytes()[:-8192])
    result = sidekeep("backup", "verify")
    assert result.returncode == 1
    assert f"{good.name}: sound; messages: 1" in result.stdout
    assert f"{bad.name} is damaged" in result.stdout
    assert sidekeep("backup", "verify", good.name).returncode == 0
    shown = {one["name"]: one for one in json.loads(sidekeep("backup", "verify", "--json").stdout)}
    assert (shown[good.name]["sound"], shown[good.name]["problem"]) == (True, None)
    assert shown[good.name]["rows"]["messages"] == 1
    assert shown[bad.name]["sound"] is False
    assert "damaged" in shown[bad.name]["problem"]


def test_restore_puts_a_backup_in_place_and_says_how_to_go_back(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    sidekeep("backup", "now")
    _say(home, "two")
    result = sidekeep("backup", "restore", "newest", "--yes")
    assert result.returncode == 0, result.stderr
    assert _texts(home) == ["one"]
    (kept,) = home.glob("sidekeep.sqlite3.replaced-*")
    assert f"The store that was there is kept: {kept}" in result.stdout
    assert f"sidekeep backup restore {kept.name}" in result.stdout
    assert sidekeep("backup", "restore", kept.name, "--yes").returncode == 0
    assert _texts(home) == ["one", "two"]


def test_restore_asks_and_does_nothing_where_nobody_can_be_asked(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    sidekeep("backup", "now")
    _say(home, "two")
    result = sidekeep("backup", "restore", "newest")
    assert result.returncode == 1
    assert "--yes" in result.stderr
    assert _texts(home) == ["one", "two"]


def test_restore_under_a_running_host_is_refused_with_who_and_what_to_do(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    sidekeep("backup", "now")
    with RunningHost(home) as one, RunningHost(home) as two:
        one.hello()
        two.hello()
        one.request("history.append", message={"role": "user", "content": "two"})
        result = sidekeep("backup", "restore", "newest", "--yes")
        assert result.returncode == 1
        for host in (one, two):
            assert f"process {host.process.pid}" in result.stderr
        assert "Close" in result.stderr
        two.request("history.append", message={"role": "user", "content": "three"})
        assert [message["content"] for message in stored_messages(one)] == ["one", "two", "three"]
    assert list(home.glob("*.replaced-*")) == []
    assert sidekeep("backup", "restore", "newest", "--yes").returncode == 0


def test_a_damaged_backup_is_not_restored(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    sidekeep("backup", "now")
    backup = _newest(sidekeep)
    backup.write_bytes(b"no database at all" * 1000)
    result = sidekeep("backup", "restore", backup.name, "--yes")
    assert result.returncode == 1
    assert "damaged" in result.stderr
    assert _texts(home) == ["one"]


@pytest.mark.parametrize("name", ["no-such-backup", "settings.toml", "../home/sidekeep.sqlite3", "/etc/passwd"])
def test_only_backups_and_stores_that_were_kept_can_be_restored(sidekeep: Sidekeep, home: Path, name: str) -> None:
    _say(home, "one")
    (home / "settings.toml").write_text("", "utf-8")
    result = sidekeep("backup", "restore", name, "--yes")
    assert result.returncode == 1
    assert "There is no backup" in result.stderr
    assert _texts(home) == ["one"]


def test_a_damaged_store_is_not_backed_up_nor_touched_by_looking(sidekeep: Sidekeep, home: Path) -> None:
    _say(home, "one")
    sidekeep("backup", "now")
    for path in home.glob("sidekeep.sqlite3-*"):
        path.unlink()
    file = home / "sidekeep.sqlite3"
    file.write_bytes(b"no database at all" * 1000)
    assert len(json.loads(sidekeep("backup", "list", "--json").stdout)) == 1
    result = sidekeep("backup", "now")
    assert result.returncode == 1
    assert "damaged" in result.stderr
    assert file.read_bytes() == b"no database at all" * 1000
    assert sidekeep("backup", "restore", "newest", "--yes").returncode == 0
    assert _texts(home) == ["one"]
