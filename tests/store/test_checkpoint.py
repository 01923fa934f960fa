"""The WAL is emptied by one host at a time, and never by the one that closes last."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import filelock

from sidekeep.store.checkpoint import Checkpointer, checkpoint
from sidekeep.store.database import BUSY_TIMEOUT_MS, CHECKPOINT_PAGES, Database

Open = Callable[[], Database]
WAIT_S = 10


def _wal(path: Path) -> int:
    return path.with_name(path.name + "-wal").stat().st_size


def _fill(database: Database, pages: int = CHECKPOINT_PAGES) -> None:
    with database.transaction() as tx:
        tx.execute("CREATE TABLE IF NOT EXISTS filler (a)")
        tx.execute("INSERT INTO filler VALUES (randomblob(?))", (pages * 4096,))


def test_a_checkpoint_empties_the_wal(path: Path, tmp_path: Path, database: Database) -> None:
    _fill(database)
    assert _wal(path) > CHECKPOINT_PAGES * 4096
    checkpoint(database, tmp_path / "locks")
    assert _wal(path) == 0


def test_a_checkpoint_is_left_to_the_host_that_is_at_it(path: Path, tmp_path: Path, database: Database) -> None:
    _fill(database)
    before = _wal(path)
    locks = tmp_path / "locks"
    locks.mkdir()
    with filelock.FileLock(locks / "checkpoint.lock"):
        checkpoint(database, locks)
        assert _wal(path) == before
    checkpoint(database, locks)
    assert _wal(path) == 0


def test_a_large_commit_asks_for_one_and_a_small_one_does_not(database: Database) -> None:
    with database.transaction() as tx:
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")
    assert not database.checkpoint_due.is_set()
    _fill(database)
    assert database.checkpoint_due.is_set()


def test_the_checkpointer_works_beside_the_writers(path: Path, tmp_path: Path, database: Database) -> None:
    checkpointer = Checkpointer(database, tmp_path / "locks")
    _fill(database)
    emptied = threading.Event()

    def watch() -> None:
        while _wal(path):
            if emptied.wait(0.01):
                return
        emptied.set()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    assert emptied.wait(WAIT_S)
    checkpointer.close()
    checkpointer._thread.join(WAIT_S)
    assert not checkpointer._thread.is_alive()


def test_closing_the_last_connection_leaves_the_wal_alone(path: Path, database: Database) -> None:
    _fill(database, pages=10)
    before = _wal(path)
    database.close()
    assert _wal(path) == before


def test_a_reader_does_not_hold_up_writers_through_the_checkpoint(tmp_path: Path, open_database: Open) -> None:
    """A checkpoint that waits for a reader keeps the write lock meanwhile: it must not wait."""
    reader, writer = open_database(), open_database()
    checkpointer = Checkpointer(writer, tmp_path / "locks")
    slowest_s = 0.0
    with reader.reading() as tx:
        tx.execute("SELECT * FROM meta").fetchall()
        _fill(writer)
        begun = time.monotonic()
        while (started := time.monotonic()) < begun + 1:
            with writer.transaction() as other:
                other.execute("INSERT OR REPLACE INTO meta VALUES ('a', 'b')")
            slowest_s = max(slowest_s, time.monotonic() - started)
    checkpointer.close()
    assert slowest_s < BUSY_TIMEOUT_MS / 1000 / 2
