"""The sequence of changes of the storage areas, from which every process learns what to announce.

A change is written in the transaction that makes it, so its place in the sequence is its place in the history of the store.
"""

from __future__ import annotations

import array
import enum
from collections.abc import Mapping
from typing import Any, NamedTuple

from sidekeep.domain.scope import Scope
from sidekeep.store.database import Transaction

# Other processes look within milliseconds; one that was stopped for longer than this has missed what was forgotten.
KEPT_MS = 60_000
# Events between two looks for what can be forgotten.
PRUNE_EVERY = 64


class Kind(enum.IntEnum):
    """How a value is given: not there, as JSON, by its row, by the message rows that make it up, or to be read anew."""

    ABSENT = 0
    JSON = 1
    ROWS = 2
    DERIVED = 3
    STORED = 4


class Value(NamedTuple):
    """A key's value before or after a change. `data` is JSON or packed row keys, for Kind.STORED the row's key."""

    kind: Kind
    data: bytes | int = b""


ABSENT = Value(Kind.ABSENT)
DERIVED = Value(Kind.DERIVED)


class Event(NamedTuple):
    """One change: every key of it with its old and new value."""

    seq: int
    namespace: str
    profile: str
    values: Mapping[str, tuple[Value, Value]]


def rows_value(rows: list[int]) -> Value:
    """A value as the message rows that make it up."""
    return Value(Kind.ROWS, array.array("q", rows).tobytes())


def rows_of(value: Value) -> list[int]:
    rows = array.array("q")
    assert isinstance(value.data, bytes), "rows are packed"
    rows.frombytes(value.data)
    return rows.tolist()


def record(tx: Transaction, scope: Scope, values: Mapping[str, tuple[Value, Value]], *, at_ms: int) -> None:
    """Append one event to the sequence."""
    tx.execute(
        "INSERT INTO changes (namespace, profile, at_ms) VALUES (?, ?, ?)",
        (scope.namespace, scope.profile, at_ms),
    )
    seq = tx.last_insert_rowid()
    for key, (old, new) in values.items():
        tx.execute(
            "INSERT INTO change_values VALUES (?, ?, ?, ?, ?, ?)", (seq, key, old.kind, new.kind, old.data, new.data)
        )
    if seq % PRUNE_EVERY == 0:
        prune(tx, at_ms - KEPT_MS)


def latest(tx: Transaction) -> int:
    """The last place of the sequence that was ever given."""
    for (seq,) in tx.execute("SELECT seq FROM sqlite_sequence WHERE name = 'changes'"):
        return int(seq)
    return 0


def since(tx: Transaction, seq: int) -> list[Event]:
    """Every event after `seq`, in order."""
    events: list[Event] = []
    rows: list[Any] = tx.execute(
        "SELECT seq, namespace, profile FROM changes WHERE seq > ? ORDER BY seq", (seq,)
    ).fetchall()
    for number, namespace, profile in rows:
        values = {
            key: (Value(Kind(old_kind), old), Value(Kind(new_kind), new))
            for key, old_kind, new_kind, old, new in tx.execute(
                "SELECT key, old_kind, new_kind, old, new FROM change_values WHERE seq = ? ORDER BY key", (number,)
            )
        }
        events.append(Event(number, namespace, profile, values))
    return events


def prune(tx: Transaction, before_ms: int) -> None:
    """Forget events that everybody has heard of long since, and the rows and values that only they still needed."""
    tx.execute("DELETE FROM changes WHERE at_ms < ?", (before_ms,))
    tx.execute(
        "DELETE FROM messages WHERE message_pk IN (SELECT message_pk FROM unreferenced_messages WHERE at_ms < ?) "
        "AND NOT EXISTS (SELECT 1 FROM transcript_events WHERE transcript_events.message_pk = messages.message_pk)",
        (before_ms,),
    )
    tx.execute("DELETE FROM unreferenced_messages WHERE at_ms < ?", (before_ms,))
    tx.execute(
        "DELETE FROM area_values WHERE value_pk NOT IN (SELECT value_pk FROM area UNION ALL "
        "SELECT old FROM change_values WHERE old_kind = ?1 UNION ALL SELECT new FROM change_values WHERE new_kind = ?1)",
        (Kind.STORED,),
    )
