"""What the host does for its store while nobody waits: the day's backup, and putting a damaged store right.

A thread of its own, from shortly after hello on. Damage is told by the database (whoever met it got an error), by another
process through a mark, or found by the backup, which checks every page.
"""

from __future__ import annotations

from collections.abc import Callable

from sidekeep import logs
from sidekeep.domain import backup as rules
from sidekeep.errors import Cancelled, SidekeepError, StoreBusy, StoreDamaged, StoreFailed
from sidekeep.service.archive import Archives
from sidekeep.service.clock import Clock, now_ms
from sidekeep.service.limits import NO_LIMITS
from sidekeep.service.notices import Notice, Notices
from sidekeep.settings.model import Settings
from sidekeep.store import locks, presence, recovery, traces
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
    ) -> None:
        self._store = store
        self._database = database
        self._notices = notices
        self._settings = settings
        self._quiet_s = quiet_s
        self._replaced = replaced
        self._clock = clock
        self._backups = Backups(store.home)
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
            if self._store.is_marked or (self._is_suspect and self._clock() >= self._next_recovery_ms):
                self._put_right()
            elif self._is_backup_due():
                self._back_up()
            else:
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
        if not self._settings().backup_enabled or now < self._next_backup_ms or not self._backups.is_due(now):
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
