"""What was imported, by fingerprint: so that a repeated import adds nothing and sees what has grown."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from sidekeep.domain.chat import ChatId
from sidekeep.store.database import Transaction


class Imported(NamedTuple):
    """`content` is the hash of its first `messages` messages. `revision` is the chat's when the import had written it: a chat
    with another one has been continued since."""

    content: bytes
    messages: int
    chat_id: ChatId
    revision: int


class Candidate(NamedTuple):
    """An imported chat that is as it was imported."""

    pinned: bool
    updated_at_ms: int
    fingerprint: str
    chat_id: ChatId


def find(tx: Transaction, namespace: str, fingerprint: str) -> Imported | None:
    for row in tx.execute(
        "SELECT content, messages, chat_id, revision FROM imports WHERE namespace = ? AND fingerprint = ?",
        (namespace, fingerprint),
    ):
        return Imported(*row)
    return None


def put(
    tx: Transaction, namespace: str, fingerprint: str, imported: Imported, *, now_ms: int, kept: Sequence[Any]
) -> None:
    """Note an import; one of the same fingerprint is another version of it."""
    tx.execute(
        "INSERT OR REPLACE INTO imports VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (namespace, fingerprint, *imported, now_ms, _packed(kept)),
    )


def kept(tx: Transaction, namespace: str, fingerprint: str) -> list[Any]:
    """The records of that conversation that are no messages, as they were in its file."""
    for (packed,) in tx.execute(
        "SELECT kept FROM imports WHERE namespace = ? AND fingerprint = ?", (namespace, fingerprint)
    ):
        return _unpacked(packed)
    return []


def fingerprints(tx: Transaction, namespace: str) -> list[tuple[str, ChatId]]:
    """Every import that is noted, with the chat that it became."""
    rows: list[Any] = tx.execute(
        "SELECT fingerprint, chat_id FROM imports WHERE namespace = ? ORDER BY fingerprint", (namespace,)
    ).fetchall()
    return [(str(fingerprint), ChatId(chat_id)) for fingerprint, chat_id in rows]


def unchanged_chats(tx: Transaction, namespace: str) -> list[Candidate]:
    """The imported chats that nobody has changed since."""
    rows: list[Any] = tx.execute(
        "SELECT entry_json ->> 'pinned', updated_at_ms, fingerprint, chat_id FROM imports JOIN session_entries "
        "ON session_entries.namespace = imports.namespace AND session_key = 'chat:' || chat_id "
        "WHERE imports.namespace = ? AND entry_json ->> 'revision' = revision AND entry_json ->> 'listed'",
        (namespace,),
    ).fetchall()
    return [Candidate(bool(pinned), *rest) for pinned, *rest in rows]


def forget_kept(tx: Transaction, namespace: str, chat_id: ChatId) -> None:
    """Delete what was kept beside a chat that is deleted for good. That it was imported stays known: it does not come back."""
    tx.execute("UPDATE imports SET kept = NULL WHERE namespace = ? AND chat_id = ?", (namespace, chat_id))


def _packed(records: Sequence[Any]) -> bytes | None:
    if not records:
        return None
    import zstandard

    return zstandard.compress(orjson.dumps(records))


def _unpacked(packed: bytes | None) -> list[Any]:
    if packed is None:
        return []
    import zstandard

    found: list[Any] = orjson.loads(zstandard.decompress(packed))
    return found
