"""Locks between host processes. A lock is a file lock: it dies with its process, however that ends."""

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from sidekeep import paths
from sidekeep.store import presence

# A younger file may be one that somebody is about to lock.
SWEPT_AFTER_S = 60.0


class NamedLocks:
    """Locks by name, below one folder. `folder` None: nothing outside this process shares the store, so names are enough."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._held: dict[str, object] = {}

    def try_lock(self, name: str) -> "HeldLock | None":
        """The lock, or None where another process, or this one, holds it."""
        if self._folder is None:
            mine = object()
            if self._held.setdefault(name, mine) is not mine:  # one step: threads may ask at the same time
                return None
            return HeldLock(lambda: self._held.pop(name, None))
        paths.ensure_private(self._folder)
        # Not filelock's: its files have to stay, and there would be one for every chat that ever was.
        file = self._folder / f"turn-{hashlib.sha256(name.encode()).hexdigest()[:32]}.lock"
        fd = presence.take(file)
        return None if fd is None else HeldLock(partial(presence.let_go, file, fd))

    def is_held(self, name: str) -> bool:
        """Whether somebody, this process included, has the lock."""
        lock = self.try_lock(name)
        if lock is not None:
            lock.release()
        return lock is None


class HeldLock:
    """A lock that is held until `release`."""

    def __init__(self, let_go: Callable[[], object]) -> None:
        self._let_go: Callable[[], object] | None = let_go

    def release(self) -> None:
        """Let go; a second time does nothing."""
        if self._let_go is not None:
            self._let_go()
            self._let_go = None


@contextlib.contextmanager
def checkpointing(folder: Path) -> Iterator[bool]:
    """The right to checkpoint, of one process at a time; False where another has it."""
    import filelock  # 60 ms, and only ever needed here and for backups

    paths.ensure_private(folder)
    lock = filelock.FileLock(folder / "checkpoint.lock", timeout=0, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def sweep(folder: Path) -> None:
    """Take away the locks of processes that were killed."""
    for file in folder.glob("turn-*.lock"):
        with contextlib.suppress(OSError):
            if time.time() - file.stat().st_mtime > SWEPT_AFTER_S and (fd := presence.take(file)) is not None:
                presence.let_go(file, fd)
