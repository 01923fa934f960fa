"""The sequence of changes of the storage areas, from which every process learns what to announce.

A change is written in the transaction that makes it, so its place in the sequence is its place in the history of the store.
"""

from __future__ import annotations

import array
import enum
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sidekeep.domain import plain_json
from sidekeep.domain.scope import Scope
from sidekeep.store.database import Transaction

# Other processes look within milliseconds; one that was stopped for longer than this has missed what was forgotten.
KEPT_MS = 60_000
NEVER_MS = 2**62
# Events between two looks for what can be forgotten, which the latest so many events never are: where the clock jumps, a
# process that is milliseconds behind has still to hear of them.
PRUNE_EVERY = 64


class Kind(enum.IntEnum):
    """How a value is given: not there, as JSON, by its row, as (the beginning of) a transcript, as message rows, or to be
    read anew."""

    ABSENT = 0
    JSON = 1
    ROWS = 2
    DERIVED = 3
    STORED = 4
    TRANSCRIPT = 5


class Value(NamedTuple):
    """A key's value before or after a change. What `data` is depends on the kind: JSON; packed row keys; the key of a row of
    area_values; `SESSION:SEQ`, a transcript up to that event."""

    kind: Kind
    data: bytes | int | str = b""


ABSENT = Value(Kind.ABSENT)
DERIVED = Value(Kind.DERIVED)


class Event(NamedTuple):
    """One change: every key of it with its old and new value."""

    seq: int
    namespace: str
    profile: str
    values: Mapping[str, tuple[Value, Value]]


def transcript_value(session_id: str, last_seq: int) -> Value:
    """A value as a transcript up to an event: an append costs the same however long the conversation is."""
    return Value(Kind.TRANSCRIPT, f"{session_id}:{last_seq}")


def rows_of(tx: Transaction, value: Value) -> list[int]:
    """The message rows that make up a value of the kinds ROWS and TRANSCRIPT."""
    if isinstance(value.data, str):
        session_id, _, last_seq = value.data.rpartition(":")
        return _rows(tx, session_id, int(last_seq))
    rows = array.array("q")
    assert isinstance(value.data, bytes), "rows are packed"
    rows.frombytes(value.data)
    return rows.tolist()


def as_rows(tx: Transaction, value: Value) -> Value:
    """The same value, naming its rows one by one: what has to be done before its transcript changes otherwise than by an
    append."""
    return value if value.kind != Kind.TRANSCRIPT else Value(Kind.ROWS, array.array("q", rows_of(tx, value)).tobytes())


def begin(tx: Transaction, scope: Scope, at_ms: int) -> int:
    """Open an event; returns its place in the sequence."""
    tx.execute(
        "INSERT INTO changes (namespace, profile, at_ms) VALUES (?, ?, ?)",
        (scope.namespace, scope.profile, at_ms),
    )
    return tx.last_insert_rowid()


def put_old(tx: Transaction, seq: int, key: str, old: Value) -> None:
    """Note what a key is before it changes."""
    tx.execute("INSERT INTO change_values VALUES (?, ?, ?, ?, ?, NULL)", (seq, key, old.kind, Kind.ABSENT, old.data))


def old_values(tx: Transaction, seq: int) -> dict[str, Value]:
    """What the keys of an open event were."""
    rows: list[Any] = tx.execute("SELECT key, old_kind, old FROM change_values WHERE seq = ?", (seq,)).fetchall()
    return {key: Value(Kind(kind), data) for key, kind, data in rows}


def close(tx: Transaction, seq: int, changed: Mapping[str, Value], at_ms: int) -> None:
    """End an event with the new values of the keys that changed; without any, there was none."""
    if seq % PRUNE_EVERY == 0:
        prune(tx, *_kept_times(tx, at_ms))
    if not changed:
        tx.execute("DELETE FROM changes WHERE seq = ?", (seq,))
        return
    rows: list[Any] = tx.execute("SELECT rowid, key FROM change_values WHERE seq = ?", (seq,)).fetchall()
    for rowid, key in rows:
        if key in changed:
            tx.execute(
                "UPDATE change_values SET new_kind = ?, new = ? WHERE rowid = ?",
                (changed[key].kind, changed[key].data, rowid),
            )
        else:
            tx.execute("DELETE FROM change_values WHERE rowid = ?", (rowid,))


def name_rows(tx: Transaction, session_id: str) -> None:
    """Let every change that names a transcript name its rows instead. The transcript is about to lose some."""
    pattern = f"{session_id}:%"
    named: list[Any] = tx.execute(
        "SELECT rowid, old_kind, old, new_kind, new FROM change_values "
        "WHERE (old_kind = ?1 AND old LIKE ?2) OR (new_kind = ?1 AND new LIKE ?2)",
        (Kind.TRANSCRIPT, pattern),
    ).fetchall()
    for rowid, old_kind, old, new_kind, new in named:
        before, after = as_rows(tx, Value(Kind(old_kind), old)), as_rows(tx, Value(Kind(new_kind), new))
        tx.execute(
            "UPDATE change_values SET old_kind = ?, old = ?, new_kind = ?, new = ? WHERE rowid = ?",
            (before.kind, before.data, after.kind, after.data, rowid),
        )


def _rows(tx: Transaction, session_id: str, last_seq: int) -> list[int]:
    return [
        int(pk)
        for (pk,) in tx.execute(
            "SELECT message_pk FROM transcript_events WHERE session_id = ? AND seq <= ? ORDER BY seq",
            (session_id, last_seq),
        )
    ]


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


def _kept_times(tx: Transaction, now_ms: int) -> tuple[int, int]:
    """Events of these times stay: the last minute's, and the latest ones', whichever way the clock has jumped since."""
    latest: list[Any] = tx.execute("SELECT at_ms FROM changes ORDER BY seq DESC LIMIT ?", (PRUNE_EVERY,)).fetchall()
    times = [at_ms for (at_ms,) in latest]
    return min([now_ms - KEPT_MS, *times]), max([now_ms + KEPT_MS, *times])


def is_to_be_pruned(tx: Transaction, from_ms: int, until_ms: int) -> bool:
    """Whether `prune` would find anything."""
    return any(
        next(tx.execute(f"SELECT 1 FROM {table} WHERE at_ms < ? OR at_ms > ? LIMIT 1", (from_ms, until_ms)), None)  # noqa: S608  constants
        for table in ("changes", "unreferenced_messages")
    )


def prune(tx: Transaction, from_ms: int, until_ms: int = NEVER_MS) -> None:
    """Forget events from before and from after these times, and the rows and values that only they still needed.

    Everybody has heard of them long since. What is later than now was written before the clock was put back.
    """
    times = (from_ms, until_ms)
    tx.execute("DELETE FROM changes WHERE at_ms < ? OR at_ms > ?", times)
    gone: list[Any] = tx.execute(
        "DELETE FROM messages WHERE message_pk IN "
        "(SELECT message_pk FROM unreferenced_messages WHERE at_ms < ? OR at_ms > ?) "
        "AND NOT EXISTS (SELECT 1 FROM transcript_events WHERE transcript_events.message_pk = messages.message_pk) "
        "RETURNING message_pk",
        times,
    ).fetchall()
    if gone:
        from sidekeep.store import search_index

        search_index.drop(tx, (key for (key,) in gone))
    tx.execute("DELETE FROM unreferenced_messages WHERE at_ms < ? OR at_ms > ?", times)
    _drop_values(tx)


def forget_values(tx: Transaction, namespace: str, keys: Iterable[str]) -> None:
    """Let what those keys were be known to no change any more; who has still to hear of one is told what the key is now."""
    tx.execute(
        "UPDATE change_values SET old_kind = ?1, old = '', new_kind = ?2, new = '' "
        "WHERE key IN (SELECT value FROM json_each(?3)) AND seq IN (SELECT seq FROM changes WHERE namespace = ?4)",
        (Kind.ABSENT, Kind.DERIVED, plain_json.write(list(keys)).decode(), namespace),
    )
    _drop_values(tx)


def _drop_values(tx: Transaction) -> None:
    """Delete the values that neither a key nor a change names."""
    tx.execute(
        "DELETE FROM area_values WHERE value_pk NOT IN (SELECT value_pk FROM area UNION ALL "
        "SELECT old FROM change_values WHERE old_kind = ?1 UNION ALL SELECT new FROM change_values WHERE new_kind = ?1)",
        (Kind.STORED,),
    )
