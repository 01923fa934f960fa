"""The one path on which transcripts leave: archived whole, then deleted, in the caller's transaction.

An archive refers to blobs and does not copy them, so pixels stay until the archive itself is purged.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import StoredMessage
from sidekeep.store import entries, transcripts
from sidekeep.store.database import Transaction

Reason = Literal["reset", "deleted"]
RECORD_VERSION = 1


@dataclass(frozen=True, slots=True)
class Departure:
    """Why transcripts leave, and what is said of them in the archive."""

    namespace: str
    reason: Reason
    at_ms: int
    name: str = ""
    folder: str | None = None
    evicted: bool = False


def release(tx: Transaction, session_ids: Iterable[SessionId], departure: Departure) -> int:
    """Archive and delete those transcripts that no remaining entry's family names. Returns how many messages were archived.

    The entry that named them must be gone, or name others, already. Empty transcripts leave no archive.
    """
    named = entries.referenced_family_ids(tx)
    archived = 0
    for session_id in session_ids:
        if session_id not in named:
            archived += _archive(tx, session_id, departure)
            transcripts.delete(tx, session_id, departure.at_ms)
    return archived


def let_go(tx: Transaction, session_id: SessionId, departure: Departure) -> None:
    """Delete a transcript that no entry names any more. What nothing else refers to is archived: the whole under its own id, a
    part of it under a new one."""
    lost = transcripts.unshared(tx, session_id)
    if len(lost) == transcripts.count(tx, session_id):
        release(tx, (session_id,), departure)
    else:
        aside = transcripts.create(tx, departure.at_ms)
        transcripts.refer(tx, aside, transcripts.identities(tx, lost))
        transcripts.delete(tx, session_id, departure.at_ms)
        release(tx, (aside,), departure)


def set_aside(tx: Transaction, rows: Sequence[int], departure: Departure) -> None:
    """Archive rows that left a conversation, under a session id of their own. Their references are gone already."""
    if rows:
        session_id = transcripts.create(tx, departure.at_ms)
        transcripts.refer(tx, session_id, transcripts.identities(tx, rows))
        release(tx, (session_id,), departure)


def totals(tx: Transaction, namespace: str) -> tuple[int, int]:
    """How many archives a namespace has, and the bytes of what they hold."""
    count, size = next(
        tx.execute("SELECT count(*), coalesce(sum(bytes), 0) FROM archives WHERE namespace = ?", (namespace,))
    )
    return int(count), int(size)


def _archive(tx: Transaction, session_id: SessionId, departure: Departure) -> int:
    messages = transcripts.messages(tx, session_id)
    if not messages:
        return 0
    archive_id = str(uuid.uuid4())
    tx.execute(
        "INSERT INTO archives (archive_id, namespace, session_id, name, folder, reason, evicted, archived_at_ms, "
        "messages, bytes, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            archive_id,
            departure.namespace,
            session_id,
            departure.name,
            departure.folder,
            departure.reason,
            departure.evicted,
            departure.at_ms,
            len(messages),
            sum(message.size for message in messages),
            _record(messages),
        ),
    )
    for sha256 in {cut.sha256 for message in messages for cut in message.cuts}:
        tx.execute("INSERT INTO archive_blobs VALUES (?, ?)", (archive_id, sha256))
    return len(messages)


def _record(messages: list[StoredMessage]) -> bytes:
    """The rows and identities whole, compressed."""
    import zstandard

    rows: list[dict[str, Any]] = [
        {
            "id": message.message_id,
            "role": message.role,
            "createdAt": message.created_at_ms,
            "attachId": message.attach_id,
            "bytes": message.size,
            "body": message.body.decode(),
            "cuts": [[cut.position, cut.sha256.hex(), cut.head] for cut in message.cuts],
        }
        for message in messages
    ]
    return zstandard.compress(orjson.dumps({"version": RECORD_VERSION, "messages": rows}))
