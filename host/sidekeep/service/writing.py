"""One write of a caller: the transaction, and what it changes of the storage area's keys.

Whatever changes a key, by storage.set or by way of a conversation, names the key first (`touch`). At the end the keys'
values before and after go into the sequence of changes, in the same transaction, and `service/announcing.py` tells whoever
listens.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sidekeep.domain import json_value
from sidekeep.domain.scope import Scope
from sidekeep.service import key_values
from sidekeep.service.clock import Clock
from sidekeep.store import changes
from sidekeep.store.changes import Kind, Value
from sidekeep.store.database import Database, Transaction


class Write:
    """A transaction that knows whose it is, when it is, and which keys it has touched."""

    def __init__(self, tx: Transaction, scope: Scope, now_ms: int) -> None:
        self.tx = tx
        self.scope = scope
        self.now_ms = now_ms
        self._before: dict[str, Value] = {}

    def touch(self, *keys: str) -> None:
        """Call before changing keys: remembers what they are."""
        for key in keys:
            if key not in self._before:
                self._before[key] = key_values.value(self.tx, self.scope, key)

    def changed(self) -> dict[str, tuple[Value, Value]]:
        """The touched keys whose value is another one now, with both."""
        pairs = {key: (old, key_values.value(self.tx, self.scope, key)) for key, old in self._before.items()}
        return {key: (old, new) for key, (old, new) in pairs.items() if self._differ(old, new)}

    def _differ(self, old: Value, new: Value) -> bool:
        if old.kind == Kind.DERIVED and new.kind == Kind.DERIVED:
            return True  # it was touched because it changes; comparing would mean deriving it twice
        if old == new:
            return False
        if {old.kind, new.kind} <= {Kind.JSON, Kind.STORED}:
            texts = [key_values.rendered(self.tx, self.scope, value) for value in (old, new)]
            return texts[0] is None or texts[1] is None or not json_value.equal(texts[0], texts[1])
        return True


class Writes:
    """Makes writes over one store."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @contextlib.contextmanager
    def begin(self, scope: Scope) -> Iterator[Write]:
        """A write transaction whose changes are recorded at its end."""
        with self._database.transaction() as tx:
            write = Write(tx, scope, self._clock())
            yield write
            changed = write.changed()
            if changed:
                changes.record(tx, scope, changed, at_ms=write.now_ms)
