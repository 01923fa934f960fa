"""Facts about the store itself."""

from typing import TYPE_CHECKING, Any

import apsw

from sidekeep.store.database import Transaction

if TYPE_CHECKING:
    from sidekeep.domain.chat import SessionId


def store_id(tx: Transaction) -> str:
    """The id this store was given when it was made."""
    return str(next(tx.execute("SELECT value FROM meta WHERE name = 'store_id'"))[0])


def size_bytes(tx: Transaction) -> int:
    """Size of the database, without its WAL."""
    return int(tx.pragma("page_count")) * int(tx.pragma("page_size"))


def namespace_bytes(tx: Transaction, namespace: str) -> int:
    """What a namespace keeps: its area and the messages its entries refer to, pictures included."""
    (in_area,) = next(tx.execute("SELECT coalesce(sum(bytes), 0) FROM area WHERE namespace = ?", (namespace,)))
    (in_messages,) = next(
        tx.execute(
            "SELECT coalesce(sum(bytes), 0) FROM messages WHERE message_pk IN (SELECT message_pk FROM entry_families "
            "JOIN transcript_events USING (session_id) WHERE namespace = ?)",
            (namespace,),
        )
    )
    return int(in_area) + int(in_messages)


def last_change(tx: Transaction) -> int:
    """The last place of the sequence of changes that was ever given."""
    for (seq,) in tx.execute("SELECT seq FROM sqlite_sequence WHERE name = 'changes'"):
        return int(seq)
    return 0


def has_chats(tx: Transaction, namespace: str) -> bool:
    """Whether any chat is listed; asked at every change of one, so it counts none."""
    found = tx.execute(
        "SELECT 1 FROM session_entries WHERE namespace = ? AND kind = 'chat' AND entry_json ->> 'listed' LIMIT 1",
        (namespace,),
    )
    return found.fetchone() is not None


def count_chats(tx: Transaction, namespace: str) -> int:
    """How many chats are listed."""
    return int(
        next(
            tx.execute(
                "SELECT count(*) FROM session_entries WHERE namespace = ? AND kind = 'chat' AND entry_json ->> 'listed'",
                (namespace,),
            )
        )[0]
    )


def messages(tx: Transaction, namespace: str) -> int:
    """How many messages the entries of a namespace refer to, each once."""
    return int(
        next(
            tx.execute(
                "SELECT count(DISTINCT message_pk) FROM entry_families JOIN transcript_events USING (session_id) "
                "WHERE namespace = ?",
                (namespace,),
            )
        )[0]
    )


def longer_chats(tx: Transaction, namespace: str, limit: int) -> "dict[str, SessionId]":
    """The listed chats with more messages than `limit` (0 is none), each with its transcript."""
    found: list[Any] = tx.execute(
        "SELECT entry_json ->> 'id', session_id FROM session_entries JOIN transcript_events USING (session_id) "
        "WHERE ?2 > 0 AND namespace = ?1 AND kind = 'chat' AND entry_json ->> 'listed' "
        "GROUP BY session_key HAVING count(*) > ?2",
        (namespace, limit),
    ).fetchall()
    return dict(found)


def sqlite_version() -> str:
    return apsw.sqlite_lib_version()


def has_partial_answers(tx: Transaction) -> bool:
    """Whether an answer is under way, or was when its host was killed (store/partial_answers.py, which a start does without)."""
    return next(tx.execute("SELECT 1 FROM partial_answers LIMIT 1"), None) is not None
