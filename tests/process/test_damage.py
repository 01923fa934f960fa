"""Damaged stores, full disks, read-only folders, locks: real hosts over real files, and nothing acknowledged is lost."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.host import RunningHost, WireError
from tests.support.turns import stored_messages


def _say(host: RunningHost, text: str) -> None:
    host.request("history.append", message={"role": "user", "content": text})


def _texts(host: RunningHost) -> list[str]:
    return [message["content"] for message in stored_messages(host)]


def _run(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "sidekeep", "backup", *arguments]
    environment = {**os.environ, "SIDEKEEP_HOME": str(home)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@contextmanager
def _running(home: Path, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "sidekeep", "backup", *arguments]
    environment = {**os.environ, "SIDEKEEP_HOME": str(home)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        yield process
        process.kill()


def _notice(host: RunningHost, kind: str) -> str:
    """The sentence of the first `status.changed` with a notice of that kind."""

    def messages(event: Any) -> list[str]:
        return [notice["message"] for notice in event["notices"] if notice["kind"] == kind]

    found = host.wait_for(lambda each: each.get("method") == "status.changed" and bool(messages(each["params"])))
    return messages(found["params"])[0]


def _break(home: Path, *, keep: int = 0) -> None:
    """What lies on the disk becomes something else from byte `keep` on, under whoever has it open.

    In a process of its own: closing the file would drop the locks of a connection of this one.
    """
    code = (
        "import apsw, os, sys; file, keep = sys.argv[1], int(sys.argv[2]); c = apsw.Connection(file);"
        "c.pragma('journal_mode', 'wal'); c.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);"
        "c.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE); c.close();"
        "size = os.path.getsize(file); f = open(file, 'r+b'); f.seek(keep); f.write(os.urandom(size - keep))"
    )
    subprocess.run([sys.executable, "-c", code, str(home / "sidekeep.sqlite3"), str(keep)], timeout=60, check=True)


def _sound(home: Path) -> None:
    connection = apsw.Connection(str(home / "sidekeep.sqlite3"))
    assert connection.pragma("integrity_check") == "ok"
    connection.close()


def _kept(home: Path, why: str) -> list[str]:
    return [path.name for path in home.glob(f"sidekeep.sqlite3.{why}-*") if not path.name.endswith("-wal")]


def test_a_store_found_damaged_at_start_comes_back_from_the_newest_good_backup(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        _say(host, "old")
        _run(home, "now")
        _say(host, "new")
    _break(home)
    with RunningHost(home) as host:
        host.hello()
        assert _texts(host) == ["old"]
        message = _notice(host, "store")
        assert "was damaged" in message
        assert _kept(home, "damaged")[0] in message
        assert host.request("status")["notices"][-1]["message"] == message
        _say(host, "on we go")
    with RunningHost(home) as later:
        later.hello()
        assert _texts(later) == ["old", "on we go"]
        assert _notice(later, "store") == message, "who was not looking learns of it too"
    assert len(_kept(home, "damaged")) == 1


def test_without_a_backup_a_damaged_store_is_refused_in_plain_words_and_left(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        _say(host, "old")
    _break(home)
    before = (home / "sidekeep.sqlite3").read_bytes()
    with RunningHost(home) as host:
        for _ in range(2):
            with pytest.raises(WireError) as refused:
                host.hello()
            assert refused.value.kind == "storage_failed"
            assert "no good backup" in refused.value.message
            assert str(home / "sidekeep.sqlite3") in refused.value.message
        assert host.request("ping") == {}
        assert host.end().status == 0
    assert (home / "sidekeep.sqlite3").read_bytes() == before


def test_three_hosts_get_over_the_damage_together_and_go_on_in_one_store(home: Path) -> None:
    """Two have the file open when the third finds it damaged: each must let go before it is replaced."""
    with RunningHost(home) as one, RunningHost(home) as two, RunningHost(home) as three:
        for host in (one, two):
            host.hello(profile="p")
        _say(one, "old")
        _run(home, "now")
        _say(two, "new")
        for number in range(20):  # the sequence of changes of the backup is shorter than what they have seen
            two.request("storage.set", items={"number": number})
        assert _watching(one)
        assert _watching(two)
        _break(home)
        three.hello(profile="p")
        for host in (one, two, three):
            assert "was damaged" in _notice(host, "store")
        for host, text in ((one, "of one"), (two, "of two"), (three, "of three")):
            _say(host, text)
        for host in (one, two, three):
            assert _texts(host) == ["old", "of one", "of two", "of three"]
        three.request("storage.set", items={"theme": "dark"})
        for host in (one, two):
            host.wait_for(
                lambda each: (
                    each.get("method") == "storage.onChanged"
                    and each["params"]["changes"].get("theme", {}).get("newValue") == "dark"
                )
            )
    _sound(home)
    assert len(_kept(home, "damaged")) == 1


def _watching(host: RunningHost) -> bool:
    """Wait until the host hears of other processes' writes, which it does once it has been quiet for a moment."""
    mark = os.urandom(4).hex()
    with RunningHost(host.home) as other:
        other.hello()
        other.request("storage.set", items={"mark": mark})
    return bool(
        host.wait_for(
            lambda each: (
                each.get("method") == "storage.onChanged"
                and each["params"]["changes"].get("mark", {}).get("newValue") == mark
            )
        )
    )


def test_damage_under_a_running_host_is_put_right_while_it_runs(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        _say(host, "old")
        chat = host.request("history.get")["activeSessionId"]
        _run(home, "now")
        host.request("storage.set", items={f"filler{number}": "x" * 100_000 for number in range(40)})
        assert _watching(host)
        _break(home, keep=4096)
        with pytest.raises(WireError) as refused:
            host.request("storage.get", keys=[f"filler{number}" for number in range(40)])
        assert refused.value.kind == "storage_failed"
        assert "damaged" in refused.value.message
        assert "was damaged" in _notice(host, "store")
        assert _texts(host) == ["old"]
        assert host.request("history.get")["activeSessionId"] == chat
        _say(host, "on we go")
    _sound(home)


def test_a_stopped_host_keeps_the_store_from_being_replaced_and_is_named(home: Path) -> None:
    with RunningHost(home) as stopped:
        stopped.hello()
        _say(stopped, "old")
        _run(home, "now")
        assert _watching(stopped)
        _break(home)
        stopped.process.send_signal(signal.SIGSTOP)
        try:
            with RunningHost(home) as host:
                with pytest.raises(WireError) as refused:
                    host.hello()
                assert refused.value.kind == "busy"
                assert f"process {stopped.process.pid}" in refused.value.message
                assert _kept(home, "damaged") == []
        finally:
            stopped.process.send_signal(signal.SIGCONT)
        assert "was damaged" in _notice(stopped, "store"), "once it goes on it puts it right itself"
        assert _texts(stopped) == ["old"]


def _watch_for(path: Path, process: "subprocess.Popen[bytes]") -> None:
    """Until `path` is there, or the process is done."""
    while not path.exists() and process.poll() is None:
        pass


@pytest.fixture
def large_home(home: Path) -> Path:
    """A store of 30 MB with one backup that holds `old` and not `new`."""
    with RunningHost(home) as host:
        host.hello()
        _say(host, "old")
        for number in range(30):
            host.request("storage.set", items={f"filler{number}": "x" * 1_000_000})
        assert _run(home, "now").returncode == 0
        _say(host, "new")
    return home


def test_a_backup_that_is_killed_leaves_the_store_and_the_backups_that_were(large_home: Path) -> None:
    before = sorted((large_home / "backups").glob("sidekeep-*"))
    killed = 0
    for _ in range(8):
        with _running(large_home, "now") as process:
            _watch_for(large_home / "backups" / "unfinished.sqlite3", process)
            process.kill()
            killed += process.wait(10) == -signal.SIGKILL
    assert killed > 0
    assert _run(large_home, "verify").returncode == 0
    assert set(before) <= set((large_home / "backups").glob("sidekeep-*"))
    assert _run(large_home, "now").returncode == 0, "no lock is left"
    assert not (large_home / "backups" / "unfinished.sqlite3").exists()
    with RunningHost(large_home) as host:
        host.hello()
        assert _texts(host) == ["old", "new"]


@pytest.mark.parametrize("moment", ["sidekeep.sqlite3.unfinished", "sidekeep.sqlite3.incoming"])
def test_a_restore_that_is_killed_leaves_the_old_store_or_the_new_one(large_home: Path, moment: str) -> None:
    """Killed at once when the file is there, which is at another instruction each time. (Each step: tests/store.)"""
    killed = 0
    for _ in range(5):
        with _running(large_home, "restore", "newest", "--yes") as process:
            _watch_for(large_home / moment, process)
            process.kill()
            killed += process.wait(10) == -signal.SIGKILL
        with RunningHost(large_home) as host:
            host.hello()
            texts = _texts(host)
            assert texts in (["old"], ["old", "new"])
            if texts == ["old"]:
                _say(host, "new")
        _sound(large_home)
    assert killed > 0
    for name in _kept(large_home, "replaced"):
        connection = apsw.Connection(str(large_home / name))
        assert connection.pragma("integrity_check") == "ok"
        connection.close()


@contextmanager
def _mounted(folder: Path, size: str) -> Iterator[None]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _refusal(host: RunningHost, key: str) -> WireError | None:
    try:
        host.request("storage.set", items={key: "x" * 100_000})
    except WireError as exc:
        return exc
    return None


def test_a_disk_that_is_full_refuses_and_keeps_what_was_acknowledged(home: Path) -> None:
    # A removal writes some pages, too: this size leaves them when no further value of 100 KB fits.
    with _mounted(home, "4020k"), RunningHost(home) as host:
        host.hello()
        acknowledged: list[str] = []
        while (refused := _refusal(host, f"key{len(acknowledged)}")) is None:
            acknowledged.append(f"key{len(acknowledged)}")
        assert refused.kind == "storage_failed"
        assert "disk" in refused.message
        assert 5 < len(acknowledged) < 100
        assert set(host.request("storage.getKeys")["keys"]) == set(acknowledged)
        assert "too full" in _run(home, "now").stderr
        assert host.end().status == 0
        with RunningHost(home) as later:
            later.hello()  # also where not one byte is left for it
            items = later.request("storage.get", keys=None)["items"]
            assert items == dict.fromkeys(acknowledged, "x" * 100_000)
            later.request("storage.remove", keys=acknowledged[1:])
        _sound(home)


def test_a_folder_that_is_read_only_is_a_plain_error(home: Path) -> None:
    with _mounted(home, "8m"):
        with RunningHost(home) as host:
            host.hello()
            _say(host, "acknowledged")
        subprocess.run(["mount", "-o", "remount,ro", str(home)], check=True)
        with RunningHost(home) as host:
            with pytest.raises(WireError) as refused:
                host.hello()
            assert refused.value.kind == "storage_failed"
            assert "read-only" in refused.value.message.lower()
            assert host.end().status == 0
        assert "read-only" in _run(home, "now").stderr.lower()
        subprocess.run(["mount", "-o", "remount,rw", str(home)], check=True)
        with RunningHost(home) as host:
            host.hello()
            assert _texts(host) == ["acknowledged"]


def test_a_store_that_another_program_locks_is_busy_and_then_goes_on(home: Path) -> None:
    with RunningHost(home) as host:
        host.hello()
        _say(host, "acknowledged")
        connection = apsw.Connection(str(home / "sidekeep.sqlite3"))
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(WireError) as refused:
            _say(host, "too much")
        assert refused.value.kind == "busy"
        assert _texts(host) == ["acknowledged"]
        connection.execute("ROLLBACK")
        connection.close()
        _say(host, "and again")
        assert _texts(host) == ["acknowledged", "and again"]
