"""Transcripts: the order of a session's messages, as references to shared, immutable rows."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import orjson

from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import MessageId, NewMessage, StoredMessage
from sidekeep.domain.pixels import Cut
from sidekeep.store import changes, search_index
from sidekeep.store.database import Transaction

# In order of their bytes, so that ids are in order of their numbers.
_DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
_COLUMNS = "message_pk, message_id, role, created_at_ms, attach_id, bytes, area_bytes, body"


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
    message_pk = _insert(tx, message)
    refer(tx, session_id, ((message_pk, message.message_id),))
    return message_pk


def refer(tx: Transaction, session_id: SessionId, rows: Iterable[tuple[int, MessageId]]) -> None:
    """Append references to existing rows."""
    (last,) = next(
        tx.execute("SELECT coalesce(max(seq), -1) FROM transcript_events WHERE session_id = ?", (session_id,))
    )
    for seq, (message_pk, message_id) in enumerate(rows, start=last + 1):
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


def identities(tx: Transaction, rows: Sequence[int]) -> list[tuple[int, MessageId]]:
    """Rows with their message ids, in the order given."""
    return [
        (message_pk, message_id)
        for message_pk in rows
        for (message_id,) in tx.execute("SELECT message_id FROM messages WHERE message_pk = ?", (message_pk,))
    ]


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
    return _with_cuts(
        tx.execute(
            f"SELECT {_COLUMNS} FROM transcript_events JOIN messages USING (message_pk) "  # noqa: S608  a constant
            "WHERE session_id = ? ORDER BY seq",
            (session_id,),
        ).fetchall(),
        tx.execute(
            "SELECT message_pk, position, sha256, head FROM message_pixels JOIN transcript_events USING (message_pk) "
            "WHERE session_id = ? ORDER BY message_pk, position",
            (session_id,),
        ),
    )


def by_rows(tx: Transaction, keys: Sequence[int]) -> list[StoredMessage]:
    """Messages by their rows' keys, in the order given; rows that are gone are left out."""
    wanted = orjson.dumps(keys).decode()
    found = _with_cuts(
        tx.execute(
            f"SELECT {_COLUMNS} FROM messages WHERE message_pk IN (SELECT value FROM json_each(?))",  # noqa: S608  a constant
            (wanted,),
        ).fetchall(),
        tx.execute(
            "SELECT message_pk, position, sha256, head FROM message_pixels "
            "WHERE message_pk IN (SELECT value FROM json_each(?)) ORDER BY message_pk, position",
            (wanted,),
        ),
    )
    by_key = {message.message_pk: message for message in found}
    return [by_key[key] for key in keys if key in by_key]


def bodies(tx: Transaction, keys: Sequence[int]) -> dict[int, bytes]:
    """What the messages of those rows say, without pictures; rows that are gone are left out."""
    return dict(
        tx.execute(
            "SELECT message_pk, body FROM json_each(?) CROSS JOIN messages ON message_pk = value",
            (orjson.dumps(keys).decode(),),
        )
    )


def is_row(tx: Transaction, message: StoredMessage) -> bool:
    """Whether the store still has that very row: keys are given again once the last row is gone."""
    return (
        tx.execute(
            "SELECT 1 FROM messages WHERE message_pk = ? AND message_id = ? AND role = ? AND created_at_ms = ? AND body = ?",
            (message.message_pk, message.message_id, message.role, message.created_at_ms, message.body),
        ).fetchone()
        is not None
    )


def _with_cuts(found: list[Any], pixels: Iterable[Any]) -> list[StoredMessage]:
    cuts: dict[int, list[Cut]] = {}
    for message_pk, at, sha256, head in pixels:
        cuts.setdefault(message_pk, []).append(Cut(at, sha256, head))
    return [_stored(row, tuple(cuts.get(row[0], ()))) for row in found]


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
    for row in tx.execute(
        f"SELECT {_COLUMNS} FROM messages JOIN transcript_events USING (message_pk) "  # noqa: S608  a constant
        "WHERE session_id = ? AND attach_id = ?",
        (session_id, attach_id),
    ):
        cuts = tx.execute(
            "SELECT position, sha256, head FROM message_pixels WHERE message_pk = ? ORDER BY position", (row[0],)
        )
        return _stored(row, tuple(Cut(*cut) for cut in cuts))
    return None


def area_bytes(tx: Transaction, keys: Sequence[int]) -> int:
    """Bytes of those messages as an array in the storage area: their JSON, commas and brackets."""
    (total,) = next(
        tx.execute(
            "SELECT coalesce(sum(area_bytes), 0) FROM json_each(?) JOIN messages ON message_pk = value",
            (orjson.dumps(keys).decode(),),
        )
    )
    return int(total) + max(len(keys) - 1, 0) + len("[]")


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
    message_pk = _insert(tx, new)
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
    give_up(tx, taken, now_ms)


def give_up(tx: Transaction, keys: Sequence[int], now_ms: int) -> None:
    """Note those rows that no transcript refers to any more; changes.prune deletes them when nobody needs them."""
    tx.execute(
        "INSERT OR IGNORE INTO unreferenced_messages SELECT value, ?2 FROM json_each(?1) "
        "WHERE NOT EXISTS (SELECT 1 FROM transcript_events WHERE message_pk = value)",
        (orjson.dumps(keys).decode(), now_ms),
    )


def erase_rows(tx: Transaction, keys: Iterable[int]) -> tuple[list[bytes], int]:
    """Delete those rows that no transcript refers to, now, whoever has still to be told of them.

    Returns their pictures, and the bytes of what they said.
    """
    pictures: list[bytes] = []
    freed = 0
    for key in keys:
        if tx.execute("SELECT 1 FROM transcript_events WHERE message_pk = ?", (key,)).fetchone() is None:
            pictures += [sha for (sha,) in tx.execute("SELECT sha256 FROM message_pixels WHERE message_pk = ?", (key,))]
            # Zeros in place first: a row that SQLite moves while others go would leave a copy where it stood.
            tx.execute("UPDATE messages SET body = zeroblob(length(body)) WHERE message_pk = ?", (key,))
            for (size,) in tx.execute("DELETE FROM messages WHERE message_pk = ? RETURNING length(body)", (key,)):
                freed += size
                search_index.drop(tx, (key,), erasing=True)
    return pictures, freed


def _stored(row: Any, cuts: tuple[Cut, ...]) -> StoredMessage:
    """A row of _COLUMNS as a message."""
    message_pk, message_id, role, created_at_ms, attach_id, size_bytes, in_area, body = row
    return StoredMessage(message_pk, message_id, role, created_at_ms, attach_id, size_bytes, in_area, body, cuts)


def _insert(tx: Transaction, message: NewMessage) -> int:
    message_pk = search_index.add(tx, message.body)
    tx.execute(
        f"INSERT INTO messages ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  a constant
        (
            message_pk,
            message.message_id,
            message.role,
            message.created_at_ms,
            message.attach_id,
            message.size,
            message.area_bytes,
            message.body,
        ),
    )
    for cut_ in message.cuts:
        tx.execute(
            "INSERT INTO message_pixels VALUES (?, ?, ?, ?)", (message_pk, cut_.position, cut_.sha256, cut_.head)
        )
    return message_pk
