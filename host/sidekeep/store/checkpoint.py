"""Moves the WAL's pages into the database, on a thread of its own and never two hosts at once.

SQLite before 3.51.3 could corrupt a WAL that two connections reset at the same time. apsw brings a newer one, but another
program may open the same file with the system's: one checkpointer at a time, under a file lock, takes that case away.
"""

import contextlib
import threading
from pathlib import Path

import apsw

from sidekeep import logs
from sidekeep.errors import StoreBusy, StoreFailed
from sidekeep.store.database import Database


class Checkpointer:
    """Waits for `database.checkpoint_due` and checkpoints."""

    def __init__(self, database: Database, locks: Path) -> None:
        self._database = database
        self._locks = locks
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="checkpoint", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop; what is left in the WAL is read by whoever opens the store next."""
        self._closed = True
        self._database.checkpoint_due.set()
        self._thread.join(0.2)

    def _run(self) -> None:
        # A checkpoint that waits for readers holds up every writer meanwhile: it takes what it can get and goes.
        self._database.never_wait()
        while True:
            self._database.checkpoint_due.wait()
            self._database.checkpoint_due.clear()
            if self._closed:
                return
            self._checkpoint()

    def _checkpoint(self) -> None:
        try:
            checkpoint(self._database, self._locks)
        except StoreBusy:
            pass  # a reader is at work: the next commit asks again
        except StoreFailed as exc:  # a full disk: the WAL keeps everything until there is room
            logs.warning("a checkpoint failed: %s", exc.message)


def checkpoint(database: Database, locks: Path) -> None:
    """Checkpoint once and cut the WAL file; leaves it to the other host where one is at it."""
    import filelock  # 60 ms, and only ever needed here and for turns

    locks.mkdir(mode=0o700, exist_ok=True)
    lock = filelock.FileLock(locks / "checkpoint.lock", timeout=0, mode=0o600)
    with contextlib.suppress(filelock.Timeout), lock, database.in_use() as connection:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
