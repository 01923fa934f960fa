"""Backups that a person asks for in the panel; the day's own is upkeep's."""

from collections.abc import Callable
from pathlib import Path

from sidekeep.errors import Conflict
from sidekeep.service.clock import Clock
from sidekeep.settings.model import Settings
from sidekeep.store.backups import Backup, Backups, Made, Plan
from sidekeep.store.database import Database
from sidekeep.store.record import Record


class BackingUp:
    """The backups of one store. `settings` tells how many are kept."""

    def __init__(self, database: Database, home: Path, settings: Callable[[], Settings], clock: Clock) -> None:
        self._database = database
        self._home = home
        self._settings = settings
        self._clock = clock

    def all(self) -> list[Backup]:
        """Every backup, the newest first."""
        return Backups(self._home).all()

    def make(self) -> Made:
        """Make one and check it. Raises Conflict in a private window, else as `Backups.make` does."""
        if self._database.path is None:
            raise Conflict("A private window keeps nothing, so there is nothing to back up. Use another window.")
        settings = self._settings()
        plan = Plan(settings.backup_daily, settings.backup_weekly)
        made = Backups(self._home).make(self._database, plan, now_ms=self._clock())
        Record(self._home).drop("backup")
        return made
