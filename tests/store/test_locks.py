"""Locks between host processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sidekeep.store import presence
from sidekeep.store.locks import NamedLocks, sweep

HOLDER = """
import sys
from pathlib import Path
from sidekeep.store.locks import NamedLocks
lock = NamedLocks(Path(sys.argv[1])).try_lock("chat")
print("held" if lock else "refused", flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["between processes", "in this process"])
def locks(request: pytest.FixtureRequest, tmp_path: Path) -> NamedLocks:
    return NamedLocks(tmp_path / "locks" if request.param == "between processes" else None)


def test_a_lock_is_held_once_and_free_again(locks: NamedLocks) -> None:
    held = locks.try_lock("chat")
    assert held is not None
    assert locks.try_lock("chat") is None
    assert locks.try_lock("another") is not None
    held.release()
    held.release()
    again = locks.try_lock("chat")
    assert again is not None
    again.release()


def test_a_released_lock_leaves_no_file(tmp_path: Path) -> None:
    held = NamedLocks(tmp_path / "locks").try_lock("somebody's chat")
    assert held is not None
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "locks").iterdir()] == [0o600]
    assert (tmp_path / "locks").stat().st_mode & 0o777 == 0o700
    held.release()
    assert list((tmp_path / "locks").iterdir()) == []


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    locks = NamedLocks(tmp_path / "locks")
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "locks")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert locks.try_lock("chat") is None
        holder.kill()
        holder.wait(10)
        held = locks.try_lock("chat")
    assert held is not None
    held.release()


def test_a_lock_on_a_file_that_was_just_taken_away_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process opens the file, its holder releases it, and only then the first one locks: what it locks has no name."""
    locks = NamedLocks(tmp_path / "locks")
    first = locks.try_lock("chat")
    assert first is not None
    lock = presence._try_lock

    def released_before(fd: int, *, alone: bool) -> bool:
        first.release()
        return lock(fd, alone=alone)

    monkeypatch.setattr(presence, "_try_lock", released_before)
    second = NamedLocks(tmp_path / "locks").try_lock("chat")
    assert second is not None
    assert NamedLocks(tmp_path / "locks").try_lock("chat") is None
    second.release()


def test_locks_that_killed_processes_left_are_taken_away_and_held_ones_stay(tmp_path: Path) -> None:
    folder = tmp_path / "locks"
    held = NamedLocks(folder).try_lock("held")
    assert held is not None
    (folder / "turn-left.lock").touch()
    (folder / "turn-young.lock").touch()
    for file in folder.iterdir():
        if file.name != "turn-young.lock":
            os.utime(file, (1, 1))
    sweep(folder)
    assert len(list(folder.iterdir())) == 2
    assert not (folder / "turn-left.lock").exists()
    held.release()
