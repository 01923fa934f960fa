"""Moves the WAL's pages into the database, on a thread of its own and never two hosts at once.

SQLite before 3.51.3 could corrupt a WAL that two connections reset at the same time. apsw brings a newer one, but another
program may open the same file with the system's: one checkpointer at a time, under a file lock, takes that case away.
"""

import threading
from pathlib import Path

import apsw

from sidekeep import logs
from sidekeep.errors import StoreBusy, StoreFailed
from sidekeep.store import traces
from sidekeep.store.database import Database
from sidekeep.store.locks import checkpointing

# A reader that holds up the removal of traces is looked for again after this time.
RETRY_TRACES_S = 1.0


class Checkpointer:
    """Waits for `database.checkpoint_due` and checkpoints; where something was erased, until no trace of it is left."""

    def __init__(self, database: Database, locks: Path) -> None:
        self._database = database
        self._locks = locks
        self._closed = False
        self._owes_removal = False
        self._thread = threading.Thread(target=self._run, name="checkpoint", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop. What is in the WAL is moved if that is quick; else whoever opens the store next reads it there."""
        self._closed = True
        self._database.checkpoint_due.set()
        self._thread.join(0.2)

    def _run(self) -> None:
        # A checkpoint that waits for readers holds up every writer meanwhile: it takes what it can get and goes.
        self._database.never_wait()
        while True:
            self._database.checkpoint_due.wait(RETRY_TRACES_S if self._owes_removal else None)
            self._database.checkpoint_due.clear()
            self._checkpoint()
            if self._closed:
                return

    def _checkpoint(self) -> None:
        try:
            with self._database.reading() as tx:
                self._owes_removal = traces.left(tx) is not None
            if self._owes_removal:
                traces.remove(self._database, self._locks)
                self._owes_removal = False
            else:
                checkpoint(self._database, self._locks)
        except StoreBusy:
            pass  # a reader is at work: the next commit asks again, and traces by themselves
        except StoreFailed as exc:  # a full disk: the WAL keeps everything until there is room
            logs.warning("a checkpoint failed: %s", exc.message)


def checkpoint(database: Database, locks: Path) -> None:
    """Checkpoint once and cut the WAL file; leaves it to the other host where one is at it."""
    with checkpointing(locks) as is_mine, database.in_use() as connection:
        if is_mine:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
