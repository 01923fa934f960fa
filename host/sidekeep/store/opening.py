"""Opening the store's file in a data home, and putting a backup in its place where it is damaged.

What costs nothing is looked for at every opening: a change that a killed process left half done, a file that was cut to nothing,
a mark that some process met damage. SQLite itself notices a header that is none and a file that is too short. A page that is
broken further in is noticed by whoever reads it, or by the day's backup.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from sidekeep import paths
from sidekeep.errors import StoreDamaged, StoreFailed
from sidekeep.store import presence
from sidekeep.store.database import Database
from sidekeep.store.presence import Presence

# Reading every page of a store of gigabytes and copying its backup takes seconds; who waits for that is told after this time.
GATE_TIMEOUT_S = 30.0


class StoreFile:
    """The store of a data home, as this process uses it."""

    def __init__(self, home: Path, *, synchronous: str = "NORMAL", role: str = "host") -> None:
        self.home = home
        self.path = paths.database(home)
        self.locks = paths.locks(home)
        self._mark = self.locks / "damaged"
        self._synchronous = synchronous
        self._role = role
        self._presence: Presence | None = None

    def open(self) -> Database:
        """Open the store, from its newest good backup where it is damaged.

        Raises StoreDamaged where there is no good backup, else StoreFailed or StoreBusy.
        """
        paths.keep_private(self.home)
        if not self.is_marked:
            try:
                return self.open_as_it_is()
            except StoreDamaged:
                pass
        from sidekeep.store import recovery

        recovery.recover(self)
        return self.open_as_it_is()

    def open_as_it_is(self) -> Database:
        """Open the store, or raise StoreDamaged and leave it as it is."""
        self.enter()
        try:
            return Database(self.path, synchronous=self._synchronous)
        except BaseException:
            self.leave()
            raise

    def enter(self) -> None:
        """Pass the gate and say that the store is open here. Raises StoreDamaged where the file was cut to nothing."""
        while self._presence is None:
            alone = self._must_be_alone
            with presence.gate(self.locks, alone=alone, timeout_s=GATE_TIMEOUT_S):
                if alone:
                    self._make_ready()
                elif self._must_be_alone:
                    continue  # a process died at it while this one was at the gate
                self._presence = presence.register(self.locks, self._role)

    def leave(self) -> None:
        """Say that the store is closed here."""
        if self._presence is not None:
            self._presence.release()
            self._presence = None

    @property
    def is_marked(self) -> bool:
        """Whether a process met damage and nobody has looked at it yet."""
        return self._mark.exists()

    def mark(self) -> None:
        """Ask every process to let go of the store, because it may be damaged."""
        paths.ensure_private(self.locks)
        try:
            self._mark.touch(mode=0o600)
        except OSError as exc:
            raise StoreFailed(f"The store may be damaged, and {self.locks} cannot be written: {exc.strerror}.") from exc
        with contextlib.suppress(OSError):
            os.utime(paths.tick(self.home))  # the others watch this file

    def unmark(self) -> None:
        self._mark.unlink(missing_ok=True)

    @property
    def _must_be_alone(self) -> bool:
        """A new store is made alone: a file of no bytes that somebody else is about to fill must not be taken for a loss."""
        return self._is_half_replaced or not _size(self.path)

    @property
    def _is_half_replaced(self) -> bool:
        return self.path.with_name(self.path.name + ".incoming").exists()

    def _make_ready(self) -> None:
        if self._is_half_replaced:
            from sidekeep.store import replacing

            replacing.finish(self.path)
        elif not (size := _size(self.path)):
            self._check_that_nothing_is_lost(size)
            Database(self.path, synchronous=self._synchronous).close()

    def _check_that_nothing_is_lost(self, size: int | None) -> None:
        """SQLite takes an empty file for a new database, and throws away the WAL beside it."""
        if size is None and self.home != paths.chosen_home() and self.home == paths.data_home():
            raise StoreFailed(
                f"The store was moved to {self.home}, and is not there. If that is a drive, connect it. To begin anew, "
                f"delete {paths.moved_to(paths.chosen_home())}"
            )
        has_backups = any(paths.backups(self.home).glob("sidekeep-*.sqlite3"))
        if _size(self.path.with_name(self.path.name + "-wal")) or (has_backups and size == 0):
            raise StoreDamaged(f"The store {self.path} was cut to nothing. It was left as it is.")
        if has_backups:
            from sidekeep.store.record import Record

            message = (
                f"There was no store in {self.home}, so a new one was begun. To see the backups: sidekeep backup list"
            )
            Record(self.home).put("store", message)
        elif (other := self._former()) is not None:
            from sidekeep.store.record import Record

            message = (
                f"There was no store in {self.home}, so a new one was begun. There is another in {other.parent}. "
                f"To bring its chats here: sidekeep store merge {other}"
            )
            Record(self.home).put("store", message)

    def _former(self) -> Path | None:
        """A store with something in it, where this one would have been before: in the usual place, or beside it."""
        usual = paths.database(paths.usual_home())
        beside = sorted(self.home.glob(f"{self.path.name}.*Z"))
        return next((path for path in (usual, *beside) if path != self.path and _size(path)), None)


@contextlib.contextmanager
def opened(home: Path, *, role: str) -> Iterator[Database]:
    """The store, for a command called `role`. Raises StoreDamaged and leaves the store as it is where it is damaged."""
    store = StoreFile(home, role=role)
    database = store.open_as_it_is()
    try:
        yield database
    finally:
        database.close()
        store.leave()


def _size(file: Path) -> int | None:
    """Bytes, None where there is no file."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return None
