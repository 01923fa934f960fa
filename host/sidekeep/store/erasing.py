"""Deleting for good: rows, index entries and pictures, overwritten, and their traces in the file and its WAL.

What is erased leaves no archive. SQLite overwrites what it frees (`secure_delete`), but a row that it once moved may have left
a copy where it stood, and the WAL has pages from before. So who erases sets a mark in the same transaction (store/traces.py),
and the checkpointer takes it away when it has rewritten the file and emptied the WAL.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sidekeep.domain.chat import SessionId
from sidekeep.store import archived, blobs, entries, message_rows, search_index, transcripts
from sidekeep.store.database import Transaction


class Erased(NamedTuple):
    """What a backup may still hold: the ids of messages and of archives; and the bytes that were in them."""

    message_ids: frozenset[str] = frozenset()
    archive_ids: frozenset[str] = frozenset()
    bytes: int = 0

    def plus(self, other: "Erased") -> "Erased":
        return Erased(
            self.message_ids | other.message_ids, self.archive_ids | other.archive_ids, self.bytes + other.bytes
        )


def transcripts_of(tx: Transaction, family: Iterable[SessionId], now_ms: int) -> Erased:
    """Erase those transcripts that no entry's family names any more."""
    erased = Erased()
    for session_id in family:
        if not entries.is_named(tx, session_id):
            rows = transcripts.references(tx, session_id)
            transcripts.delete(tx, session_id, now_ms)
            pictures, size = message_rows.erase(tx, [pk for pk, _ in rows])
            size += blobs.drop_unreferenced(tx, pictures)
            erased = erased.plus(Erased(frozenset(message_id for _, message_id in rows), bytes=size))
    return erased


def archives(tx: Transaction, archive_ids: Sequence[str]) -> Erased:
    """Erase archives, with what they alone still kept: rows that some client has still to be told of, and pictures."""
    erased = Erased()
    for archive_id in archive_ids:
        stored = archived.messages(tx, archive_id)
        rows = [message.message_pk for message in stored if message_rows.is_there(tx, message)]
        search_index.release(tx, archive_id, erasing=True)
        tx.execute(
            "UPDATE archives SET record = zeroblob(length(record)), name = '' WHERE archive_id = ?", (archive_id,)
        )
        for (size,) in tx.execute("DELETE FROM archives WHERE archive_id = ? RETURNING length(record)", (archive_id,)):
            message_rows.erase(tx, rows)
            freed = size + blobs.drop_unreferenced(tx, (cut.sha256 for message in stored for cut in message.cuts))
            erased = erased.plus(
                Erased(frozenset(message.message_id for message in stored), frozenset((archive_id,)), freed)
            )
    return erased
