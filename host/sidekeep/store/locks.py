"""Locks between host processes. A lock is a file lock: it dies with its process, however that ends."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep import paths

if TYPE_CHECKING:
    from filelock import BaseFileLock


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
        import filelock  # 60 ms, and only ever needed here and for checkpoints

        paths.ensure_private(self._folder)
        path = self._folder / f"turn-{hashlib.sha256(name.encode()).hexdigest()[:32]}.lock"
        lock = filelock.FileLock(path, timeout=0, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except filelock.Timeout:
            return None
        return HeldLock(lambda: _let_go(lock))


class HeldLock:
    """A lock that is held until `release`."""

    def __init__(self, let_go: Callable[[], object]) -> None:
        self._let_go: Callable[[], object] | None = let_go

    def release(self) -> None:
        """Let go; a second time does nothing."""
        if self._let_go is not None:
            self._let_go()
            self._let_go = None


def _let_go(lock: "BaseFileLock") -> None:
    """Release, and take the file away so that locks of old chats do not pile up."""
    Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()
