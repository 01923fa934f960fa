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
from sidekeep.service.limits import NO_LIMITS, Limits
from sidekeep.store import changes
from sidekeep.store.changes import Kind, Value
from sidekeep.store.database import Database, Transaction


class Write:
    """A transaction that knows whose it is, when it is, which limits hold in it, and which keys it has touched."""

    def __init__(self, tx: Transaction, scope: Scope, now_ms: int, limits: Limits) -> None:
        self.tx = tx
        self.scope = scope
        self.now_ms = now_ms
        self.limits = limits
        self._event: int | None = None
        self._touched: set[str] = set()

    def touch(self, *keys: str) -> None:
        """Call before changing keys: notes what they are."""
        for key in keys:
            if key not in self._touched:
                self._touched.add(key)
                if self._event is None:
                    self._event = changes.begin(self.tx, self.scope, self.now_ms)
                changes.put_old(self.tx, self._event, key, key_values.value(self.tx, self.scope, key))

    @contextlib.contextmanager
    def of_profile(self, scope: Scope) -> Iterator[Write]:
        """The same transaction as a write of another profile of the namespace: what is its own is announced there."""
        if scope == self.scope:
            yield self
            return
        write = Write(self.tx, scope, self.now_ms, self.limits)
        yield write
        write.close()

    def close(self) -> None:
        """Record the touched keys whose value is another one now."""
        if self._event is None:
            return
        changed: dict[str, Value] = {}
        for key, old in changes.old_values(self.tx, self._event).items():
            new = key_values.value(self.tx, self.scope, key)
            if self._differ(old, new):
                changed[key] = new
        changes.close(self.tx, self._event, changed, self.now_ms)
        self._event = None

    def _differ(self, old: Value, new: Value) -> bool:
        if old.kind == Kind.DERIVED and new.kind == Kind.DERIVED:
            return True  # it was touched because it changes; comparing would mean deriving it twice
        if old == new:
            return False
        kinds = {old.kind, new.kind}
        if kinds <= {Kind.ROWS, Kind.TRANSCRIPT}:
            return changes.rows_of(self.tx, old) != changes.rows_of(self.tx, new) if Kind.ROWS in kinds else True
        if kinds <= {Kind.JSON, Kind.STORED}:
            texts = [key_values.rendered(self.tx, self.scope, value) for value in (old, new)]
            return texts[0] is None or texts[1] is None or not json_value.equal(texts[0], texts[1])
        return True


class Writes:
    """Makes writes over one store."""

    def __init__(self, database: Database, clock: Clock, limits: Limits = NO_LIMITS) -> None:
        self._database = database
        self._clock = clock
        self._limits = limits

    @contextlib.contextmanager
    def begin(self, scope: Scope, *, erasing: bool = False) -> Iterator[Write]:
        """A write transaction whose changes are recorded at its end. `erasing`: what it frees is overwritten."""
        with self._database.transaction(erasing=erasing) as tx:
            write = Write(tx, scope, self._clock(), self._limits)
            yield write
            write.close()
