"""The backups of the store: a folder of whole copies, each checked before it has its name (docs/design.md, Backups)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import orjson

from sidekeep import logs, paths
from sidekeep.domain import backup as rules
from sidekeep.domain.backup import KeptFor
from sidekeep.errors import NotFound, StoreBusy, StoreFailed
from sidekeep.store import copying
from sidekeep.store.copying import Counts, KeepOn
from sidekeep.store.database import Database
from sidekeep.store.erasing import Erased

UNFINISHED = "unfinished.sqlite3"


class Backup(NamedTuple):
    """One backup. `kept_for` is None where the next backup lets it go."""

    path: Path
    at_ms: int
    bytes: int
    kept_for: KeptFor | None = None

    @property
    def name(self) -> str:
        return self.path.name


class Made(NamedTuple):
    """A new backup, the rows of its tables, and the backups that went for it."""

    backup: Backup
    counts: Counts
    removed: list[Backup]


class Plan(NamedTuple):
    """How many are kept (settings `backup.daily`, `backup.weekly`)."""

    daily: int = 7
    weekly: int = 4


class Backups:
    """The folder of backups in the data home. Several processes may use it; one at a time adds or removes."""

    def __init__(self, home: Path, clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._clock = clock
        self.folder = paths.backups(home)
        self._locks = paths.locks(home)

    def all(self, plan: Plan | None = None) -> list[Backup]:
        """Every backup, the newest first (domain/backup.py, newest_first); with `plan`, also what each is kept for."""
        found = []
        now_ms = self._clock()
        for path in self._files():
            at_ms = rules.time_of(path.name)
            with contextlib.suppress(FileNotFoundError):  # another process is pruning
                if at_ms is not None:
                    found.append(Backup(path, at_ms, path.stat().st_size))
        order = rules.newest_first((backup.at_ms for backup in found), now_ms)
        found.sort(key=lambda backup: order.index(backup.at_ms))
        return _marked(found, plan, now_ms) if plan is not None else found

    def newest_at_ms(self) -> int | None:
        return next((backup.at_ms for backup in self.all()), None)

    def is_due(self, now_ms: int) -> bool:
        """Whether this UTC day has none yet."""
        return all(rules.day_of(backup.at_ms) != rules.day_of(now_ms) for backup in self.all())

    def find(self, name: str) -> Backup:
        """The backup of that name; `newest` names the newest. Raises NotFound."""
        found = self.all()
        if name == "newest" and found:
            return found[0]
        for backup in found:
            if backup.name in (name, f"{name}.sqlite3"):
                return backup
        raise NotFound(
            f"There is no backup {name!r} in {self.folder}. See: sidekeep backup list", what="backup", id=name
        )

    def holding(self, erased: Erased) -> list[Path]:
        """The backups that still have something of what was erased from the store, the newest first."""
        return [backup.path for backup in self.all() if _holds(backup.path, erased)]

    def make(self, database: Database, plan: Plan, *, now_ms: int, keep_on: KeepOn = lambda: True) -> Made:
        """Copy the store, check the copy, give it its name, and let go of those that `plan` does not keep.

        Raises StoreBusy where another process is at it, StoreFailed where there is no room, StoreDamaged where the store is not
        sound, Cancelled once `keep_on` says no.
        """
        with self._one_at_a_time():
            return self._make(database, plan, now_ms, keep_on)

    def make_if_due(self, database: Database, plan: Plan, *, now_ms: int, keep_on: KeepOn) -> Made | None:
        """The day's backup; None where there is one, of whichever process. Raises as `make` does."""
        with self._one_at_a_time():
            return self._make(database, plan, now_ms, keep_on) if self.is_due(now_ms) else None

    def _make(self, database: Database, plan: Plan, now_ms: int, keep_on: KeepOn) -> Made:
        partial = self.folder / UNFINISHED
        partial.unlink(missing_ok=True)  # of a process that was killed at it
        with database.in_use() as connection:
            counts = copying.copy(connection, partial, keep_on=keep_on)
        path = self._free_path(now_ms)
        partial.rename(path)
        copying.sync_folder(self.folder)
        logs.info("backup made: %s", path.name)
        backup = next(found for found in self.all(plan) if found.path == path)
        return Made(backup, counts, self._prune(plan, spare=path))

    def _prune(self, plan: Plan, *, spare: Path) -> list[Backup]:
        """`spare` has just been made: a clock that was wrong for a while must not take it away."""
        removed = [backup for backup in self.all(plan) if backup.kept_for is None and backup.path != spare]
        for backup in removed:
            backup.path.unlink(missing_ok=True)
            logs.info("backup removed: %s (%d days and %d weeks are kept)", backup.name, plan.daily, plan.weekly)
        return removed

    def _free_path(self, at_ms: int) -> Path:
        path = self.folder / rules.name_of(at_ms)
        while path.exists():
            at_ms += 1000
            path = self.folder / rules.name_of(at_ms)
        return path

    def _files(self) -> list[Path]:
        try:
            return list(self.folder.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []

    @contextlib.contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        import filelock

        paths.ensure_private(self.folder)
        lock = filelock.FileLock(paths.ensure_private(self._locks) / "backup.lock", timeout=0, mode=0o600)
        try:
            lock.acquire()
        except filelock.Timeout as exc:
            raise StoreBusy("Another Sidekeep process is making a backup. Try again in a moment.") from exc
        try:
            yield
        finally:
            lock.release()


def _marked(backups: list[Backup], plan: Plan, now_ms: int) -> list[Backup]:
    times = (backup.at_ms for backup in backups)
    kept = rules.retained(times, daily=plan.daily, weekly=plan.weekly, now_ms=now_ms)
    return [backup._replace(kept_for=kept.get(backup.at_ms)) for backup in backups]


def _holds(path: Path, erased: Erased) -> bool:
    """Whether a backup has one of those messages or archives. One that cannot be read may have: it is named too."""
    messages, archives = (orjson.dumps(list(ids)).decode() for ids in (erased.message_ids, erased.archive_ids))
    try:
        with copying.opened(path) as connection:
            return (
                connection.execute(
                    "SELECT 1 FROM transcript_event_identities WHERE event_id IN (SELECT value FROM json_each(?1)) "
                    "UNION ALL SELECT 1 FROM archives WHERE archive_id IN (SELECT value FROM json_each(?2)) LIMIT 1",
                    (messages, archives),
                ).fetchone()
                is not None
            )
    except StoreFailed:
        return True
