"""Messages: immutable rows, shared by every transcript that refers to them (store/transcripts.py)."""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from sidekeep.domain.message import MessageId, NewMessage, StoredMessage
from sidekeep.domain.pixels import Cut
from sidekeep.store import search_index
from sidekeep.store.database import Transaction

COLUMNS = "message_pk, message_id, role, created_at_ms, attach_id, bytes, area_bytes, body"


def insert(tx: Transaction, message: NewMessage) -> int:
    """Write a message's row; its pictures are in `blobs` already. Returns the row's key."""
    message_pk = search_index.add(tx, message.body)
    tx.execute(
        f"INSERT INTO messages ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  a constant
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


def by_keys(tx: Transaction, keys: Sequence[int]) -> list[StoredMessage]:
    """Messages by their rows' keys, in the order given; rows that are gone are left out."""
    wanted = orjson.dumps(keys).decode()
    found = with_cuts(
        tx.execute(
            f"SELECT {COLUMNS} FROM messages WHERE message_pk IN (SELECT value FROM json_each(?))",  # noqa: S608  a constant
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


def identities(tx: Transaction, rows: Sequence[int]) -> list[tuple[int, MessageId]]:
    """Rows with their message ids, in the order given."""
    return [
        (message_pk, message_id)
        for message_pk in rows
        for (message_id,) in tx.execute("SELECT message_id FROM messages WHERE message_pk = ?", (message_pk,))
    ]


def area_bytes(tx: Transaction, keys: Sequence[int]) -> int:
    """Bytes of those messages as an array in the storage area: their JSON, commas and brackets."""
    (total,) = next(
        tx.execute(
            "SELECT coalesce(sum(area_bytes), 0) FROM json_each(?) JOIN messages ON message_pk = value",
            (orjson.dumps(keys).decode(),),
        )
    )
    return int(total) + max(len(keys) - 1, 0) + len("[]")


def is_there(tx: Transaction, message: StoredMessage) -> bool:
    """Whether the store still has that very row: keys are given again once the last row is gone."""
    return (
        tx.execute(
            "SELECT 1 FROM messages WHERE message_pk = ? AND message_id = ? AND role = ? AND created_at_ms = ? AND body = ?",
            (message.message_pk, message.message_id, message.role, message.created_at_ms, message.body),
        ).fetchone()
        is not None
    )


def give_up(tx: Transaction, keys: Sequence[int], now_ms: int) -> None:
    """Note those rows that no transcript refers to any more; changes.prune deletes them when nobody needs them."""
    tx.execute(
        "INSERT OR IGNORE INTO unreferenced_messages SELECT value, ?2 FROM json_each(?1) "
        "WHERE NOT EXISTS (SELECT 1 FROM transcript_events WHERE message_pk = value)",
        (orjson.dumps(keys).decode(), now_ms),
    )


def erase(tx: Transaction, keys: Iterable[int]) -> tuple[list[bytes], int]:
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


def with_cuts(found: list[Any], pixels: Iterable[Any]) -> list[StoredMessage]:
    """Rows of COLUMNS as messages. `pixels`: message_pk, position, sha256 and head of their pictures, by position."""
    cuts: dict[int, list[Cut]] = {}
    for message_pk, at, sha256, head in pixels:
        cuts.setdefault(message_pk, []).append(Cut(at, sha256, head))
    return [_stored(row, tuple(cuts.get(row[0], ()))) for row in found]


def _stored(row: Any, cuts: tuple[Cut, ...]) -> StoredMessage:
    """A row of COLUMNS as a message."""
    message_pk, message_id, role, created_at_ms, attach_id, size_bytes, in_area, body = row
    return StoredMessage(
        message_id, role, created_at_ms, attach_id, size_bytes, in_area, body, cuts, message_pk=message_pk
    )
