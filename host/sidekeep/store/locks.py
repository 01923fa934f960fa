"""Locks between host processes. A lock is a file lock: it dies with its process, however that ends."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep import paths

if TYPE_CHECKING:
    from filelock import BaseFileLock


class NamedLocks:
    """Locks by name, below one folder. `folder` None: nothing outside this process shares the store."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def try_lock(self, name: str) -> "HeldLock | None":
        """The lock, or None where another process, or this one, holds it."""
        if self._folder is None:
            return HeldLock(None)
        import filelock  # 60 ms, and only ever needed here and for checkpoints

        paths.ensure_private(self._folder)
        path = self._folder / f"turn-{hashlib.sha256(name.encode()).hexdigest()[:32]}.lock"
        lock = filelock.FileLock(path, timeout=0, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except filelock.Timeout:
            return None
        return HeldLock(lock)


class HeldLock:
    """A lock that is held until `release`."""

    def __init__(self, lock: "BaseFileLock | None") -> None:
        self._lock = lock

    def release(self) -> None:
        """Let go, and take the file away so that locks of old chats do not pile up."""
        if self._lock is not None:
            Path(self._lock.lock_file).unlink(missing_ok=True)
            self._lock.release()
            self._lock = None
