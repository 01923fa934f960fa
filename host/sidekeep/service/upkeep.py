"""What the host does for its store while nobody waits: the day's backup, and putting a damaged store right.

A thread of its own, from shortly after hello on. Damage is told by the database (whoever met it got an error), by another
process through a mark, or found by the backup, which checks every page.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sidekeep import logs
from sidekeep.domain import backup as rules
from sidekeep.errors import Cancelled, SidekeepError, StoreBusy, StoreDamaged, StoreFailed
from sidekeep.service import aside
from sidekeep.service.archive import Archives
from sidekeep.service.clock import Clock, now_ms
from sidekeep.service.limits import NO_LIMITS
from sidekeep.service.notices import Notice, Notices
from sidekeep.settings.model import Settings
from sidekeep.store import changes, locks, presence, recovery, traces
from sidekeep.store.backups import Backups, Plan
from sidekeep.store.database import Database
from sidekeep.store.opening import StoreFile
from sidekeep.store.record import Record

LOOK_EVERY_S = 30.0
# A backup of 1 GB keeps a core and the disk busy for some seconds: nobody should be reading or asking just then.
QUIET_S = 180.0
# Who never pauses that long gets a backup all the same.
OVERDUE_MS = 3 * 86_400_000
QUIET_WHEN_OVERDUE_S = 5.0
RETRY_BACKUP_MS = 3_600_000
# A store that no backup can replace is not read from end to end at each error.
RETRY_RECOVERY_MS = 600_000
# The wall clock and the one that only goes on differ by less, unless somebody has set the wall clock.
JUMP_MS = 5_000
# Requests that run at the moment take milliseconds; past this one is stuck, and the next look tries again.
LET_GO_S = 5.0


class Upkeep:
    """Looks after one store. `quiet_s` tells for how long nothing was asked and no turn ran."""

    def __init__(
        self,
        store: StoreFile,
        database: Database,
        notices: Notices,
        *,
        settings: Callable[[], Settings],
        quiet_s: Callable[[], float],
        replaced: Callable[[], None],
        clock: Clock = now_ms,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._database = database
        self._notices = notices
        self._settings = settings
        self._quiet_s = quiet_s
        self._replaced = replaced
        self._clock = clock
        self._monotonic = monotonic
        self._looked_at = (clock(), monotonic())
        self._backups = Backups(store.home, clock)
        self._record = Record(store.home)
        self._next_backup_ms = 0
        self._next_recovery_ms = 0
        self._is_suspect = False

    def run(self) -> None:
        """Look after the store as long as the process runs."""
        self.tell()
        self._finish_erasing()
        presence.sweep(self._store.locks)
        locks.sweep(self._store.locks)
        aside.sweep(self._store.home)
        while True:
            self._database.damage.wait(LOOK_EVERY_S)
            self.look()

    def attend(self) -> None:
        """Another process may have marked the store as damaged: look now. From any thread."""
        if self._store.is_marked:
            self._database.damage.set()

    def look(self) -> None:
        """Do what is to be done now. Never raises."""
        self._is_suspect |= self._database.damage.is_set()
        self._database.damage.clear()
        try:
            is_waiting = _is_before(self._clock(), self._next_recovery_ms, RETRY_RECOVERY_MS)
            if self._store.is_marked or (self._is_suspect and not is_waiting):
                self._put_right()
            elif self._is_backup_due():
                self._back_up()
            else:
                self._forget_changes()
                expired = Archives(self._database, self._clock, NO_LIMITS).expire(self._settings().archive_expire_days)
                if expired:
                    logs.info("archives that had expired were purged: %d", expired)
        except SidekeepError as exc:
            logs.warning("upkeep: %s", exc.message)
        except Exception as exc:
            logs.unexpected("upkeep", exc)

    def tell(self) -> None:
        """Give the notices that the record holds, of whichever process."""
        self._notices.give("upkeep", tuple(Notice(entry.subject, entry.message) for entry in self._record.entries()))

    def _forget_changes(self) -> None:
        """What was removed stays in the record of changes for a minute, and no longer although nobody writes.

        Not where the clock has just jumped: by it every change is old, also one that another process has not heard of.
        """
        now_ms, at_s = self._clock(), self._monotonic()
        jumped_ms = abs(now_ms - self._looked_at[0] - (at_s - self._looked_at[1]) * 1000)
        self._looked_at = now_ms, at_s
        if jumped_ms > JUMP_MS:
            return
        kept = (now_ms - changes.KEPT_MS, now_ms + changes.KEPT_MS)
        with self._database.reading() as tx:
            is_due = changes.is_to_be_pruned(tx, *kept)
        if is_due:
            with self._database.transaction(erasing=True) as tx:
                changes.prune(tx, *kept)

    def _finish_erasing(self) -> None:
        """A process may have ended before it had removed the traces of what it erased."""
        try:
            with self._database.reading() as tx:
                if traces.left(tx) is not None:
                    self._database.checkpoint_due.set()
        except SidekeepError as exc:
            logs.warning("upkeep: %s", exc.message)

    def _put_right(self) -> None:
        self._next_recovery_ms = self._clock() + RETRY_RECOVERY_MS
        try:
            self._store.mark()
            before = self._database.file
            with self._database.let_go(LET_GO_S):
                is_another = self._recover()
            # Another process may have put it right just before this one marked it again, and then it is sound by now.
            is_another = is_another or (before is not None and self._database.file != before)
            self._is_suspect, self._next_recovery_ms = False, 0
            if is_another:
                self._replaced()
        finally:
            self.tell()

    def _recover(self) -> bool:
        self._store.leave()
        try:
            return recovery.recover(self._store)
        finally:
            self._reopen()

    def _reopen(self) -> None:
        try:
            self._store.enter()
            self._database.migrate()
        except StoreFailed as exc:
            self._database.refuse(exc)
            raise
        self._database.refuse(None)

    def _is_backup_due(self) -> bool:
        now = self._clock()
        is_waiting = _is_before(now, self._next_backup_ms, RETRY_BACKUP_MS)
        if not self._settings().backup_enabled or is_waiting or not self._backups.is_due(now):
            return False
        newest = self._backups.newest_at_ms()
        is_overdue = newest is not None and now - newest > OVERDUE_MS
        return self._quiet_s() >= (QUIET_WHEN_OVERDUE_S if is_overdue else QUIET_S)

    def _back_up(self) -> None:
        settings = self._settings()
        plan = Plan(settings.backup_daily, settings.backup_weekly)
        try:
            self._backups.make_if_due(self._database, plan, now_ms=self._clock(), keep_on=self._may_go_on)
        except (Cancelled, StoreBusy):
            return  # at the next look
        except StoreDamaged:
            self._database.damage.set()
            raise
        except SidekeepError as exc:
            self._next_backup_ms = self._clock() + RETRY_BACKUP_MS
            self._record.put("backup", self._failed(exc.message))
            self.tell()
            raise
        self._record.drop("backup")
        self._record.drop("damaged")  # every page was just read and found sound
        self.tell()

    def _may_go_on(self) -> bool:
        return not self._database.damage.is_set()

    def _failed(self, why: str) -> str:
        newest = self._backups.newest_at_ms()
        last = "There is none yet" if newest is None else f"The last one is of {rules.in_words(newest)}"
        return f"The day's backup failed. {why} {last}; Sidekeep tries again in an hour."


def _is_before(now_ms: int, next_ms: int, wait_ms: int) -> bool:
    """Whether the wait is not over. A clock that was put back must not make it longer than it was."""
    return 0 < next_ms - now_ms <= wait_ms
