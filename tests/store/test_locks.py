"""Locks between host processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from sidekeep.store.locks import NamedLocks

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
