"""Transcripts: the order of a session's messages, as references to shared, immutable rows (store/message_rows.py)."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import MessageId, NewMessage, StoredMessage
from sidekeep.store import changes, message_rows
from sidekeep.store.database import Transaction

# In order of their bytes, so that ids are in order of their numbers.
_DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"


def create(tx: Transaction, now_ms: int, session_id: SessionId | None = None) -> SessionId:
    """A new, empty transcript; under an id of its own, or one that an export brings."""
    session_id = session_id or new_id(now_ms)
    tx.execute("INSERT INTO sessions (session_id, created_at_ms) VALUES (?, ?)", (session_id, now_ms))
    return session_id


def new_id(now_ms: int) -> SessionId:
    """An id that no transcript has.

    Short, because four tables have it for every message, and in order of time, because tables that grow at their end have fuller
    pages: 50 snapshots of 300 messages take 1.6 MB with these, and 3.4 with UUIDs."""
    number = (now_ms << 40) + int.from_bytes(os.urandom(5), "big")
    return SessionId("".join(_DIGITS[number >> shift & 63] for shift in range(78, -1, -6)))


def exists(tx: Transaction, session_id: SessionId) -> bool:
    return tx.execute("SELECT 1 FROM sessions WHERE session_id = ?", (session_id,)).fetchone() is not None


def append(tx: Transaction, session_id: SessionId, message: NewMessage) -> int:
    """Write a message's row and refer to it from the end of the transcript. Its pictures are in `blobs` already.

    Returns the row's key.
    """
    message_pk = message_rows.insert(tx, message)
    refer(tx, session_id, ((message_pk, message.message_id),))
    return message_pk


def refer(tx: Transaction, session_id: SessionId, rows: Iterable[tuple[int, MessageId]]) -> None:
    """Append references to existing rows."""
    for seq, (message_pk, message_id) in enumerate(rows, start=last_seq(tx, session_id) + 1):
        tx.execute("INSERT INTO transcript_events VALUES (?, ?, ?)", (session_id, seq, message_pk))
        tx.execute("INSERT INTO transcript_event_identities VALUES (?, ?, ?)", (session_id, message_id, seq))


def match(tx: Transaction, session_id: SessionId, rows: Sequence[tuple[int, MessageId]]) -> bool:
    """Let the transcript refer to exactly these rows. False where it did already."""
    there, wanted = references(tx, session_id), list(rows)
    if there == wanted:
        return False
    if wanted and there[-len(wanted) :] == wanted:
        cut_first(tx, session_id, len(there) - len(wanted))
        return True
    if there != wanted[: len(there)]:
        cut(tx, session_id, 0)
        there = []
    refer(tx, session_id, wanted[len(there) :])
    return True


def copy(tx: Transaction, source: SessionId, target: SessionId) -> None:
    """Refer to all of `source`'s rows from the empty `target`."""
    for table, columns in (("transcript_events", "seq, message_pk"), ("transcript_event_identities", "event_id, seq")):
        tx.execute(
            f"INSERT INTO {table} SELECT ?, {columns} FROM {table} WHERE session_id = ?",  # noqa: S608  names from above
            (target, source),
        )


def references(tx: Transaction, session_id: SessionId) -> list[tuple[int, MessageId]]:
    """The rows that the transcript refers to, in order, each with its id."""
    return list(
        tx.execute(
            "SELECT message_pk, message_id FROM transcript_events JOIN messages USING (message_pk) "
            "WHERE session_id = ? ORDER BY seq",
            (session_id,),
        )
    )


def tail(tx: Transaction, session_id: SessionId, count: int) -> list[int]:
    """The keys of the last rows that the transcript refers to, at most `count`, in order."""
    newest_first = tx.execute(
        "SELECT message_pk FROM transcript_events WHERE session_id = ? ORDER BY seq DESC LIMIT ?", (session_id, count)
    )
    return [int(pk) for (pk,) in newest_first][::-1]


def last_seq(tx: Transaction, session_id: SessionId) -> int:
    """The `seq` of the transcript's last event; -1 while it has none."""
    (last,) = next(
        tx.execute("SELECT coalesce(max(seq), -1) FROM transcript_events WHERE session_id = ?", (session_id,))
    )
    return int(last)


class Outline(NamedTuple):
    """What of a message decides where turns begin."""

    message_pk: int
    role: str
    attach_id: str | None


def outline(tx: Transaction, session_id: SessionId) -> list[Outline]:
    """The transcript without what is said in it, oldest first."""
    rows: list[Any] = tx.execute(
        "SELECT message_pk, role, attach_id FROM transcript_events JOIN messages USING (message_pk) "
        "WHERE session_id = ? ORDER BY seq",
        (session_id,),
    ).fetchall()
    return [Outline(*row) for row in rows]


def messages(tx: Transaction, session_id: SessionId) -> list[StoredMessage]:
    """The transcript, oldest first."""
    return message_rows.with_cuts(
        tx.execute(
            f"SELECT {message_rows.COLUMNS} FROM transcript_events JOIN messages USING (message_pk) "  # noqa: S608  a constant
            "WHERE session_id = ? ORDER BY seq",
            (session_id,),
        ).fetchall(),
        tx.execute(
            "SELECT message_pk, position, sha256, head FROM message_pixels JOIN transcript_events USING (message_pk) "
            "WHERE session_id = ? ORDER BY message_pk, position",
            (session_id,),
        ),
    )


def position(tx: Transaction, session_id: SessionId, message_id: str) -> int | None:
    """The `seq` under which the transcript has that id."""
    for (seq,) in tx.execute(
        "SELECT seq FROM transcript_event_identities WHERE session_id = ? AND event_id = ?", (session_id, message_id)
    ):
        return int(seq)
    return None


def count(tx: Transaction, session_id: SessionId) -> int:
    return count_before(tx, session_id, 2**62)


def count_before(tx: Transaction, session_id: SessionId, seq: int) -> int:
    """How many messages stand before `seq`: a message's index."""
    return int(
        next(tx.execute("SELECT count(*) FROM transcript_events WHERE session_id = ? AND seq < ?", (session_id, seq)))[
            0
        ]
    )


def by_attachment(tx: Transaction, session_id: SessionId, attach_id: str) -> StoredMessage | None:
    """The message that carries an attachment."""
    for (message_pk,) in tx.execute(
        "SELECT message_pk FROM messages JOIN transcript_events USING (message_pk) WHERE session_id = ? AND attach_id = ?",
        (session_id, attach_id),
    ):
        return message_rows.by_keys(tx, (message_pk,))[0]
    return None


def cut(tx: Transaction, session_id: SessionId, first_seq: int, until_seq: int | None = None) -> list[int]:
    """Take the references from `first_seq` on (to `until_seq`, both included) out. Returns the rows they named, in order."""
    changes.name_rows(tx, session_id)
    bounds = (session_id, first_seq, until_seq if until_seq is not None else 2**62)
    taken = [
        pk
        for (pk,) in tx.execute(
            "SELECT message_pk FROM transcript_events WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq", bounds
        )
    ]
    tx.execute("DELETE FROM transcript_events WHERE session_id = ? AND seq BETWEEN ? AND ?", bounds)
    return taken


def cut_first(tx: Transaction, session_id: SessionId, count: int) -> list[int]:
    """Take the first `count` references out. Returns the rows they named, in order."""
    for (seq,) in tx.execute(
        "SELECT seq FROM transcript_events WHERE session_id = ? ORDER BY seq LIMIT 1 OFFSET ?", (session_id, count - 1)
    ):
        return cut(tx, session_id, 0, seq)
    return []


def cut_last(tx: Transaction, session_id: SessionId, count: int) -> list[int]:
    """Take the last `count` references out. Returns the rows they named, in order."""
    for (seq,) in tx.execute(
        "SELECT seq FROM transcript_events WHERE session_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?",
        (session_id, count - 1),
    ):
        return cut(tx, session_id, seq)
    return []


def replace(tx: Transaction, session_id: SessionId, old: StoredMessage, new: NewMessage) -> int:
    """Put a row of its own in the place of a message whose id it has. Other transcripts keep the old one.

    Its pictures are in `blobs` already; the old row is to be given up once no transcript has it. Returns the new row's key.
    """
    changes.name_rows(tx, session_id)
    message_pk = message_rows.insert(tx, new)
    tx.execute(
        "UPDATE transcript_events SET message_pk = ? WHERE session_id = ? AND message_pk = ?",
        (message_pk, session_id, old.message_pk),
    )
    return message_pk


def unshared(tx: Transaction, session_id: SessionId) -> list[int]:
    """The rows of the transcript that no other transcript refers to: what would be lost without it."""
    return [
        int(pk)
        for (pk,) in tx.execute(
            "SELECT message_pk FROM transcript_events AS mine WHERE session_id = ?1 AND NOT EXISTS (SELECT 1 FROM "
            "transcript_events AS other WHERE other.message_pk = mine.message_pk AND other.session_id <> ?1) ORDER BY seq",
            (session_id,),
        )
    ]


def delete(tx: Transaction, session_id: SessionId, now_ms: int) -> None:
    """Delete a transcript, and give up the rows that no other transcript refers to."""
    taken = cut(tx, session_id, 0)
    tx.execute("DELETE FROM sessions WHERE session_id = ?", (session_id,))
    message_rows.give_up(tx, taken, now_ms)
