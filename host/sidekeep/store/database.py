"""The SQLite file: its pragmas, its transactions, and what its errors mean, each in one place."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import apsw

from sidekeep.errors import StoreBusy, StoreDamaged, StoreFailed, remedy
from sidekeep.store import migrations

Transaction: TypeAlias = apsw.Connection

# Another host's transaction takes milliseconds; past this something else holds the file (a backup program, a stopped process).
BUSY_TIMEOUT_MS = 5000
# Pages that a connection remembers, at most. A search reads a thousand from all over the file, and SQLite's own 2 MB forget them
# before the next one: 1.5 ms of 8 with 100,000 messages. Only who has as much stored and looks for it takes as much memory.
CACHE_KIB = 24 * 1024
# Pages in the WAL before a checkpoint is due; SQLite's own default, but run on a thread of its own (store/checkpoint.py).
CHECKPOINT_PAGES = 1000


class Database:
    """One store, opened by any thread that uses it: each has a connection of its own.

    `path` None keeps everything in memory, shared by the threads of this process and gone with it.
    """

    def __init__(self, path: Path | None, *, synchronous: str = "NORMAL") -> None:
        self.path = path
        self._synchronous = synchronous
        self._memory_name = f"file:/sidekeep-{os.getpid()}-{id(self)}?vfs=memdb"
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self._file: tuple[int, int] | None = None
        self._impatient: set[int] = set()
        self._users = threading.Condition()
        self._in_use = 0
        self._replacer: int | None = None
        self.checkpoint_due = threading.Event()
        self.damage = threading.Event()
        self._refusal: StoreFailed | None = None
        self._only_reads = False
        if path is not None:
            _create_private(path)
        _migrate(self)

    @property
    def engine(self) -> str:
        return "sqlite" if self.path is not None else "memory"

    @property
    def file(self) -> tuple[int, int] | None:
        """Which file is open (device and inode); None while none is, and in memory."""
        return self._file

    def connection(self) -> apsw.Connection:
        """This thread's connection. Raises StoreFailed or StoreBusy."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open()
            with self._users:
                self._connections.append(connection)
        return connection

    def close_here(self) -> None:
        """Close this thread's connection; its next use opens another. A connection's statements keep the memory of the largest
        values that they ever carried: 300 MB after a message of 60 MB. A store in memory lives in its connections: they stay."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None or self.path is None:
            return
        self._local.connection = None
        with self._users:
            if connection in self._connections:
                self._connections.remove(connection)
        with contextlib.suppress(apsw.Error):
            connection.close()

    def only_read(self) -> None:
        """Refuse every transaction that writes from now on."""
        self._only_reads = True

    def never_wait(self) -> None:
        """Let this thread's transactions fail at once with StoreBusy where another holds the lock."""
        self._impatient.add(threading.get_ident())
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            connection.set_busy_timeout(0)

    @contextlib.contextmanager
    def in_use(self) -> Iterator[apsw.Connection]:
        """This thread's connection, whose errors come out as the host's own. The file is not replaced meanwhile."""
        self._begin_use()
        try:
            with translated():
                yield self.connection()
        except StoreDamaged:
            self.damage.set()
            raise
        finally:
            self._end_use()

    @contextlib.contextmanager
    def transaction(self, *, erasing: bool = False) -> Iterator[Transaction]:
        """One write transaction: all of it or nothing. `erasing`: what it frees is overwritten (store/erasing.py).

        It takes the write lock at its start: a transaction that begins as a reader and then writes fails with "locked" whenever
        another host wrote in between, however long it is willing to wait.
        """
        if self._only_reads:
            raise StoreFailed("This program only reads the store. Nothing was changed.")
        with self.in_use() as connection:
            self._check_in_place()
            connection.execute("BEGIN IMMEDIATE")
            try:
                if erasing:
                    connection.execute("PRAGMA secure_delete = ON")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                if erasing:
                    connection.execute("PRAGMA secure_delete = OFF")
                    self.checkpoint_due.set()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Transaction]:
        """One consistent view for several reads."""
        with self.in_use() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def mark(self) -> object:
        """Equal to an earlier mark of this thread where nothing was written since then, by whichever connection or process."""
        with self.in_use() as connection:
            return connection, connection.pragma("data_version"), connection.total_changes()

    @contextlib.contextmanager
    def let_go(self, timeout_s: float) -> Iterator[None]:
        """Close every connection, so that the file can be replaced; inside, only this thread may use the store.

        Others wait as they wait for a lock. Raises StoreBusy where one has not finished in time.
        """
        with self._users:
            self._replacer = threading.get_ident()
            is_free = self._users.wait_for(lambda: self._in_use == 0, timeout_s)
        try:
            if not is_free:
                raise StoreBusy("The store is at work and cannot be replaced now. Nothing was changed.")
            self.close()
            yield
        finally:
            with self._users:
                self._replacer = None
                self._users.notify_all()

    def migrate(self) -> None:
        """Bring the file to this host's version, where it is another file now. Raises StoreFailed or StoreBusy."""
        _migrate(self)

    def refuse(self, why: StoreFailed | None) -> None:
        """Answer every use with this from now on: there is no store to be opened. None: there is one again."""
        self._refusal = why

    def close(self) -> None:
        """Close every thread's connection. The threads must have stopped using theirs."""
        with self._users:
            for connection in self._connections:
                with contextlib.suppress(apsw.Error):
                    connection.close()
            self._connections.clear()
            self._file = None
        self._local = threading.local()

    def _begin_use(self) -> None:
        with self._users:
            if not self._users.wait_for(self._is_mine_to_use, self._patience_ms / 1000):
                raise StoreBusy("The store is being put right. Nothing was changed; try again in a moment.")
            if self._refusal is not None and self._replacer is None:
                raise StoreFailed(self._refusal.message)
            self._in_use += 1

    def _end_use(self) -> None:
        with self._users:
            self._in_use -= 1
            if self._replacer is not None:
                self._users.notify_all()

    def _is_mine_to_use(self) -> bool:
        return self._replacer in (None, threading.get_ident())

    @property
    def _patience_ms(self) -> int:
        return 0 if threading.get_ident() in self._impatient else BUSY_TIMEOUT_MS

    def _open(self) -> apsw.Connection:
        with translated():
            if self.path is None:
                flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
                connection = apsw.Connection(self._memory_name, flags=flags)
            else:
                self._check_in_place()
                # Without CREATE: a thread's first use must not make a new file where the store was removed.
                connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                self._configure(connection)
            except BaseException:
                connection.close()
                raise
            if self.path is not None and self._file is None:
                self._file = _identity(self.path)
            return connection

    def _check_in_place(self) -> None:
        """A file that was deleted or moved away still takes writes, and what is written is gone with the process."""
        if self.path is not None and self._file is not None and _identity(self.path) != self._file:
            raise StoreFailed(
                f"The store {self.path} was removed or replaced while it was open. Nothing was written. "
                "Put it back if you moved it, then restart the browser."
            )

    def _configure(self, connection: apsw.Connection) -> None:
        connection.set_busy_timeout(self._patience_ms)
        connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)  # a mistyped column must not become a string
        # The last connection to close would checkpoint outside the lock that store/checkpoint.py holds.
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.execute("PRAGMA foreign_keys = ON")
        if self.path is not None:
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            self._choose_journal(connection)
            # NORMAL promises what the browser's own storage does: it survives SIGKILL, a power cut may take the last writes.
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            connection.wal_autocheckpoint(0)
            connection.set_wal_hook(self._after_commit)

    def _choose_journal(self, connection: apsw.Connection) -> None:
        # SQLite does not wait for another host that is choosing at the same moment, whatever the time-out says.
        deadline = time.monotonic() + self._patience_ms / 1000
        while True:
            try:
                # Purging gives space back page by page. It can only be chosen before the first table; asked for later it takes
                # the write lock, and who only wants to read would wait for who writes.
                if int(connection.pragma("page_count")) == 0:
                    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                connection.execute("PRAGMA journal_mode = WAL")
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)
            else:
                return

    def _after_commit(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        if pages >= CHECKPOINT_PAGES:
            self.checkpoint_due.set()
        return apsw.SQLITE_OK


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _create_private(path: Path) -> None:
    """Make the file before SQLite does: WAL and shared memory take its mode, and chats are nobody else's."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as exc:
        otherwise = "Check the folder's owner and the disk, or set SIDEKEEP_HOME."
        raise StoreFailed(f"The store {path} cannot be opened: {exc.strerror}. {remedy(exc, otherwise)}") from exc


def _migrate(database: Database) -> None:
    with database.in_use() as connection:
        if migrations.is_current(connection):
            return
    with database.transaction() as tx:
        migrations.bring_up_to_date(tx)


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """SQLite's errors as the host's own; the message says what to do."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as exc:
        raise StoreBusy("Another program holds the store. Nothing was changed; try again in a moment.") from exc
    except apsw.FullError as exc:
        raise StoreFailed("The disk is full. Nothing that was saved is lost; make room and try again.") from exc
    except (apsw.ReadOnlyError, apsw.PermissionsError, apsw.CantOpenError) as exc:
        raise StoreFailed(
            "The store cannot be written. Check who owns the data folder and whether it is read-only."
        ) from exc
    except (apsw.CorruptError, apsw.NotADBError) as exc:
        raise StoreDamaged(
            "The store is damaged. Nothing was changed; Sidekeep tries to restore a backup and tells in a notice how that went."
        ) from exc
    except apsw.IOError as exc:
        raise StoreFailed("The disk reported an error. Nothing that was saved is lost; check the disk.") from exc
