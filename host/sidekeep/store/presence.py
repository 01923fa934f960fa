"""Which processes have the store open, and the gate that each passes on its way in.

A store's file must not be replaced under a process that has it open: that one would go on writing into the old file, and SQLite
finds a WAL by name, so it could write the old file's pages into the new one. Whoever opens the store holds the gate meanwhile
(shared) and from then on a lock file of its own; whoever replaces it holds the gate alone and finds no such lock held. All of
them die with their process.

On the start path, so no filelock here: it costs 60 ms to import, these two calls 0.05.
"""

import contextlib
import itertools
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sidekeep import paths
from sidekeep.errors import StoreBusy, StoreFailed, remedy

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOOK_EVERY_S = 0.02
_numbers = itertools.count()


class Holder(NamedTuple):
    """A process that has the store open. `parent` is the browser's where `role` is "host"."""

    pid: int
    parent: int
    role: str

    def __str__(self) -> str:
        if self.role == "host":
            return f"process {self.pid}, which the browser with process number {self.parent} uses"
        return f"process {self.pid} (sidekeep {self.role})"


class Presence:
    """That this process has the store open, until `release`."""

    def __init__(self, file: Path, fd: int) -> None:
        self._file = file
        self._fd: int | None = fd

    def release(self) -> None:
        """Say that the store is closed here; a second time does nothing."""
        if self._fd is not None:
            self._file.unlink(missing_ok=True)
            os.close(self._fd)
            self._fd = None


@contextlib.contextmanager
def gate(locks: Path, *, alone: bool, timeout_s: float) -> Iterator[None]:
    """Hold the gate. Raises StoreBusy where it does not open in time, StoreFailed where `locks` cannot be written."""
    fd = _open(paths.ensure_private(locks) / "store.lock")
    try:
        end = time.monotonic() + timeout_s
        while not _try_lock(fd, alone=alone):
            if time.monotonic() >= end:
                raise StoreBusy("Another Sidekeep process is putting the store right. Try again in a moment.")
            time.sleep(LOOK_EVERY_S)
        yield
    finally:
        os.close(fd)


def register(locks: Path, role: str) -> Presence:
    """Say that this process has the store open. Only with the gate held."""
    # Everything is in the name, because a full disk still takes an empty file.
    file = locks / f"open-{os.getpid()}-{os.getppid()}-{next(_numbers)}.{role}.lock"
    fd = _open(file)
    _try_lock(fd, alone=True)
    return Presence(file, fd)


def holders(locks: Path) -> list[Holder]:
    """Every process that has the store open; what dead ones left is taken away. Only with the gate held alone."""
    found = []
    for file in sorted(locks.glob("open-*.lock")):
        with contextlib.suppress(FileNotFoundError):
            holder = _holder(file)
            if holder is not None:
                found.append(holder)
    return found


def sweep(locks: Path) -> None:
    """Take away what killed processes left, where nobody is at the gate just now."""
    with contextlib.suppress(StoreBusy, StoreFailed), gate(locks, alone=True, timeout_s=0):
        holders(locks)


def take(file: Path) -> int | None:
    """Make and lock `file`: a descriptor for `let_go`, None where another process, or this one, has it."""
    while True:
        fd = _open(file)
        if not _try_lock(fd, alone=True):
            os.close(fd)
            return None
        if _is_named(fd, file):
            return fd
        os.close(fd)  # whoever had it has just taken it away: a lock on a file without a name keeps nobody out


def let_go(file: Path, fd: int) -> None:
    """Release what `take` gave, and take the file away."""
    if sys.platform == "win32":  # an open file cannot be removed there, nor one that another has just taken
        os.close(fd)
        with contextlib.suppress(OSError):
            file.unlink()
        return
    file.unlink(missing_ok=True)
    os.close(fd)


def _is_named(fd: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(file))
    except FileNotFoundError:
        return False


def _holder(file: Path) -> Holder | None:
    fd = os.open(file, os.O_RDWR)
    try:
        if not _try_lock(fd, alone=True):
            numbers, role, _ = file.name.split(".")
            _, pid, parent, _ = numbers.split("-")
            return Holder(int(pid), int(parent), role)
    finally:
        os.close(fd)
    file.unlink(missing_ok=True)
    return None


def _open(file: Path) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as exc:
        otherwise = "Check who owns the data folder and whether it is read-only."
        raise StoreFailed(f"The file {file} cannot be written: {exc.strerror}. {remedy(exc, otherwise)}") from exc


def _try_lock(fd: int, *, alone: bool) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
