"""The settings of this process: settings.toml over what a panel set over the defaults, live (docs/settings.md).

The file is read at start and again when it changes; the store's part at hello and whenever another process has written. A file
that is wrong changes nothing: the values of the last good one stay, also for a host that starts meanwhile.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sidekeep import logs, paths
from sidekeep.errors import SettingsInvalid, StoreBusy, StoreFailed
from sidekeep.service.announcing import touch
from sidekeep.service.notices import Notice, Notices
from sidekeep.settings.layers import Layered, layer
from sidekeep.settings.model import KEYS, Settings, made, value_of
from sidekeep.store import panel_settings
from sidekeep.store.database import Database

CONFIRM_COMMAND = "sidekeep settings confirm"


class HostSettings:
    """What is in force, what waits, and what the person should know of it. One for each process."""

    def __init__(self, home: Path, notices: Notices | None = None) -> None:
        self._file = paths.settings_file(home)
        self._good = paths.good_settings(home)
        self._tick = paths.tick(home)
        self._notices = notices or Notices()
        self._lock = threading.RLock()
        self._database: Database | None = None
        self._tells = False  # what is found at start is no change
        self._apply: Callable[[Settings], None] = lambda _settings: None
        self.wrong: SettingsInvalid | None = None
        self._values = self._at_start()
        self._layered = layer(self._values, {}, {})
        self._started_with = self._layered.settings

    @property
    def current(self) -> Settings:
        """The settings in force. From hello on they include what a panel set."""
        return self._layered.settings

    @property
    def layered(self) -> Layered:
        return self._layered

    def follow(self, apply: Callable[[Settings], None]) -> None:
        """Call it with the settings after every change, on the thread that met the change."""
        self._apply = apply

    def attach(self, database: Database) -> None:
        """Take the panel's part from this store from now on."""
        self._database = database
        self.refresh()
        self._tells = True

    def refresh(self) -> None:
        """Read the store's part again."""
        with self._lock:
            kept = panel_settings.Kept({}, {})
            if self._database is not None:
                with self._database.reading() as tx:
                    kept = panel_settings.read(tx)
            self._take(layer(self._values, kept.panel, kept.in_force))

    def reload(self) -> None:
        """Read the file again, after it may have changed. Writes to the store: not on the reader's thread."""
        from sidekeep.settings import file as settings_file

        try:
            data = settings_file.content(self._file)
            values = {} if data is None else settings_file.parse(self._file, data)
        except SettingsInvalid as exc:
            self._refused(exc)
        else:
            self.wrong, self._values = None, values
            self._keep_good(data)
        self.refresh()
        self._note_raised()

    def set(self, values: Mapping[str, Any]) -> None:
        """Keep what a panel set (None: nothing any more), which is checked already. A limit set here needs no confirmation.

        Raises StoreFailed, StoreBusy.
        """
        assert self._database is not None, "settings are set after hello"
        in_force = {name: self._asked(name, value) for name, value in values.items() if KEYS[name].evicts}
        with self._database.transaction() as tx:
            panel_settings.put(tx, values)
            panel_settings.put_in_force(tx, {name: limit for name, limit in in_force.items() if limit is not None})
        self._written()

    def with_values(self, values: Mapping[str, Any]) -> Settings:
        """The settings in force with these values, checked already, in their place; None is the default."""
        now = {name: value_of(self.current, name) for name in KEYS}
        return made({name: value for name, value in {**now, **values}.items() if value is not None})

    def confirm(self, names: Iterable[str]) -> Mapping[str, int]:
        """Let lowered limits count that wait. Returns them. Raises StoreFailed, StoreBusy."""
        assert self._database is not None, "limits are confirmed in a store"
        confirmed = {name: self._layered.pending[name] for name in names if name in self._layered.pending}
        with self._database.transaction() as tx:
            panel_settings.put_in_force(tx, confirmed)
        self._written()
        return confirmed

    def _written(self) -> None:
        """Other processes look when the tick file is touched, as they do for an area."""
        if self._database is not None and self._database.path is not None:
            touch(self._tick)
        self.refresh()

    def _asked(self, name: str, value: int | None) -> int | None:
        """The limit that a panel's value puts into force; None where the file says otherwise."""
        if name not in self._values:
            return value_of(Settings(), name) if value is None else value
        return value if self._layered.pending.get(name) == value else None

    def _at_start(self) -> Mapping[str, Any]:
        if not os.path.lexists(self._file):
            return {}  # the common case, and what reads a file need not be imported
        from sidekeep.settings import file as settings_file
        from sidekeep.settings import good

        kept = good.read(self._good)
        try:
            data = settings_file.content(self._file) or b""
            # One that was checked before is checked again once hello is answered (reload).
            return kept.values if data == kept.toml else settings_file.parse(self._file, data)
        except SettingsInvalid as exc:
            self._refused(exc)
            return kept.values

    def _refused(self, exc: SettingsInvalid) -> None:
        if self.wrong is None or self.wrong.problems != exc.problems:
            logs.warning("settings.toml is not taken over: %s", exc.message)
        self.wrong = exc

    def _keep_good(self, data: bytes | None) -> None:
        """Remember the file for the next hosts. A private window leaves no trace."""
        from sidekeep.settings import good

        if self._database is None or self._database.path is None:
            return
        with contextlib.suppress(OSError):
            if data is None:
                self._good.unlink(missing_ok=True)
            elif (kept := good.Good(data, self._values)) != good.read(self._good):
                good.write(self._good, kept)

    def _note_raised(self) -> None:
        """Note limits that are higher now: from here on going back is lowering them."""
        if self._database is None or not self._layered.raised:
            return
        try:
            with self._database.transaction() as tx:
                panel_settings.put_in_force(tx, self._layered.raised)
        except (StoreBusy, StoreFailed) as exc:
            logs.warning("a raised limit could not be noted: %s", exc.message)
        else:
            self.refresh()

    def _take(self, layered: Layered) -> None:
        before, self._layered = self._layered.settings, layered
        if before != layered.settings:
            if self._tells:
                changed = [name for name in KEYS if value_of(before, name) != value_of(layered.settings, name)]
                logs.info("settings changed: %s", ", ".join(changed))
            self._apply(layered.settings)
        self._notices.give("settings", tuple(self._to_tell()))

    def _to_tell(self) -> Iterable[Notice]:
        if self.wrong is not None:
            yield Notice("settings", f"{self.wrong.message} The settings from before this edit stay in force.")
        for name, limit in self._layered.pending.items():
            yield Notice("limits", _waits(name, limit, value_of(self._layered.settings, name)))
        for name, key in KEYS.items():
            if not key.live and value_of(self._started_with, name) != value_of(self._layered.settings, name):
                yield Notice("settings", f"{name} was changed. It counts when the browser next starts Sidekeep's host.")


def _waits(name: str, limit: int, in_force: int) -> str:
    return (
        f"{name} was lowered to {limit} ({'no limit' if in_force == 0 else in_force} until now). Nothing is removed before you "
        f"confirm it: in the panel's settings, or with: {CONFIRM_COMMAND}"
    )
