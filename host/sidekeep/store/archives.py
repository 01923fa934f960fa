"""The one path on which transcripts leave: archived whole, then deleted, in the caller's transaction.

An archive refers to blobs and does not copy them, so pixels stay until the archive itself is purged.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sidekeep.domain.chat import NO_CHAT, Chat, ChatId, SessionId
from sidekeep.domain.message import NewMessage, StoredMessage
from sidekeep.store import archive_records, entries, message_rows, search_index, transcripts
from sidekeep.store.database import Transaction

Reason = Literal["reset", "deleted"]
# What of its conversation an archive is: its transcript, one from before a compaction, or messages that were taken out of it.
Part = Literal["chat", "earlier", "messages"]


@dataclass(frozen=True, slots=True)
class Departure:
    """Why transcripts leave, and what is said of them in the archive."""

    namespace: str
    reason: Reason
    at_ms: int
    name: str = ""
    folder: str | None = None
    evicted: bool = False
    chat_id: ChatId = NO_CHAT
    part: Part = "chat"

    @classmethod
    def from_chat(
        cls, namespace: str, reason: Reason, at_ms: int, chat: Chat | None, *, evicted: bool = False
    ) -> "Departure":
        """What leaves a chat; None for a conversation that is none."""
        if chat is None:
            return cls(namespace, reason, at_ms, evicted=evicted)
        return cls(namespace, reason, at_ms, chat.name, chat.folder, evicted, chat.id)


def release_family(tx: Transaction, family: Sequence[SessionId], departure: Departure) -> None:
    """Let an entry's whole family go, its own transcript first: the way of reset, delete, clear and eviction.

    The entry must be gone, or name others, already: what another entry's family names stays where it is, unarchived.
    """
    release(tx, family[:1], departure)
    release(tx, family[1:], replace(departure, part="earlier"))


def release(tx: Transaction, session_ids: Iterable[SessionId], departure: Departure) -> int:
    """Archive and delete those transcripts that no remaining entry's family names. Returns how many messages were archived.

    Empty transcripts leave no archive.
    """
    archived = 0
    for session_id in session_ids:
        if not entries.is_named(tx, session_id):
            archived += _archive(tx, session_id, departure)
            transcripts.delete(tx, session_id, departure.at_ms)
    return archived


def let_go(tx: Transaction, session_id: SessionId, departure: Departure) -> None:
    """Delete a transcript, unless some entry still names it. What nothing else refers to is archived: the whole under its own id,
    a part of it under a new one."""
    if entries.is_named(tx, session_id):
        return  # a checkpoint leads to it
    lost = transcripts.unshared(tx, session_id)
    if len(lost) == transcripts.count(tx, session_id):
        release(tx, (session_id,), departure)
    else:
        aside = transcripts.create(tx, departure.at_ms)
        transcripts.refer(tx, aside, message_rows.identities(tx, lost))
        transcripts.delete(tx, session_id, departure.at_ms)
        release(tx, (aside,), replace(departure, part="messages"))


def set_aside(tx: Transaction, rows: Sequence[int], departure: Departure) -> SessionId:
    """Archive rows that left a conversation, under a session id of their own, which is returned. Their references are gone
    already."""
    session_id = transcripts.create(tx, departure.at_ms)
    transcripts.refer(tx, session_id, message_rows.identities(tx, rows))
    release(tx, (session_id,), replace(departure, part="messages"))
    return session_id


def put(tx: Transaction, messages: Iterable[NewMessage], departure: Departure) -> None:
    """Archive messages that never were a transcript's rows. Their pictures are in `blobs` already."""
    kept = [StoredMessage.of(search_index.add(tx, message.body), message) for message in messages]
    insert(tx, str(uuid.uuid4()), transcripts.new_id(departure.at_ms), departure, kept)


def _archive(tx: Transaction, session_id: SessionId, departure: Departure) -> int:
    messages = transcripts.messages(tx, session_id)
    if not messages:
        return 0
    insert(tx, str(uuid.uuid4()), session_id, departure, messages)
    return len(messages)


def is_free(tx: Transaction, archive_id: str) -> bool:
    """Whether no archive of any namespace has that id."""
    return tx.execute("SELECT 1 FROM archives WHERE archive_id = ?", (archive_id,)).fetchone() is None


def insert(
    tx: Transaction, archive_id: str, session_id: SessionId, departure: Departure, messages: Sequence[StoredMessage]
) -> None:
    """Write an archive's record. Its pictures are in `blobs` already."""
    tx.execute(
        "INSERT INTO archives (archive_id, namespace, session_id, name, folder, reason, evicted, archived_at_ms, "
        "messages, bytes, record, chat_id, part) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            archive_records.pack(messages),
            departure.chat_id,
            departure.part,
        ),
    )
    for sha256 in {cut.sha256 for message in messages for cut in message.cuts}:
        tx.execute("INSERT INTO archive_blobs VALUES (?, ?)", (archive_id, sha256))
    search_index.keep(tx, archive_id, (message.message_pk for message in messages))
