"""Telling a client what changed, whoever changed it: `storage.onChanged`, each change once, in the order of the store.

Every process reads the sequence of changes from where it last was: after each write of its own, before the write is
answered, and when another process touches the tick file (app.py watches it). hello starts an announcer: what
only an announcement needs is imported with the first one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidekeep import logs
from sidekeep.domain.area_keys import PROFILE_KEYS
from sidekeep.domain.scope import Scope
from sidekeep.store import facts
from sidekeep.store.database import Database, Transaction

if TYPE_CHECKING:
    from sidekeep.store.changes import Event, Value

Deliver = Callable[[dict[str, Any]], None]


class Announcer:
    """Announces one store's changes to one client. `tick` None: no other process shares the store."""

    def __init__(
        self, database: Database, scope: Scope, tick: Path | None, *, is_spared: Callable[[str], bool], deliver: Deliver
    ) -> None:
        self._database = database
        self._scope = scope
        self._tick = tick
        self._is_spared = is_spared
        self._deliver = deliver
        self._lock = threading.Lock()
        self._index: bytes | None = None
        self._seen = 0
        self.start_over()

    def start_over(self) -> None:
        """From now on announce what comes after this moment; also where the store is another one, whose sequence is shorter."""
        with self._lock:
            self._index = None
            with self._database.reading() as tx:
                self._seen = facts.last_change(tx)

    def written(self) -> None:
        """Call after a write, before it is answered: others are told to look, and the client hears of it."""
        self._look(tick=self._tick)

    def look(self) -> None:
        """Announce what has happened since the last look."""
        self._look(tick=None)

    def _look(self, *, tick: Path | None) -> None:
        from sidekeep.store import changes

        with self._lock:
            with self._database.reading() as tx:
                events = changes.since(tx, self._seen)
                announced = [shaped for event in events if (shaped := self._shaped(tx, event))]
            if not events:
                return
            self._seen = events[-1].seq
            if tick is not None:
                _tell_others(tick)
            for shaped in announced:
                self._deliver(shaped)

    def _shaped(self, tx: Transaction, event: Event) -> dict[str, Any]:
        if event.namespace != self._scope.namespace:
            return {}
        mine = event.profile == self._scope.profile
        shaped = {
            key: self._change(tx, key, old, new)
            for key, (old, new) in event.values.items()
            if mine or key not in PROFILE_KEYS
        }
        return {key: change for key, change in shaped.items() if change is not None}

    def _change(self, tx: Transaction, key: str, old: Value, new: Value) -> dict[str, Any] | None:
        """The key's old and new value; None where it has come out the same."""
        from sidekeep.domain import plain_json
        from sidekeep.service import key_values
        from sidekeep.store.changes import Kind

        if self._is_spared(key):
            return {"stale": True}
        change: dict[str, Any] = {}
        before = self._index if old.kind == Kind.DERIVED else key_values.rendered(tx, self._scope, old)
        if new.kind == Kind.DERIVED:
            after = key_values.values(tx, self._scope, (key,)).get(key)
        else:
            after = key_values.rendered(tx, self._scope, new)
        if key == key_values.SAVED_SESSIONS:
            self._index = after
        if before is not None and before == after:
            return None
        if after is not None:
            change["newValue"] = plain_json.embedded(after)
        if before is not None:
            change["oldValue"] = plain_json.embedded(before)
        return change


def _tell_others(tick: Path) -> None:
    """What is told of is committed: that others cannot be told, in a folder that was removed, makes it no failure."""
    try:
        touch(tick)
    except OSError as exc:
        logs.warning("other hosts cannot be told of a change: %s", exc.strerror)


def touch(tick: Path) -> None:
    """Change the tick file's time; make it where it is missing."""
    try:
        os.utime(tick)
    except OSError:
        tick.touch(mode=0o600)
