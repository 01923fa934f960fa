"""What limits have removed of a namespace, counted apart from the chats themselves."""

from typing import NamedTuple

from sidekeep.store.database import Transaction


class Evicted(NamedTuple):
    """Whole chats, and messages of chats that stayed, since a time in milliseconds (None while there were none)."""

    chats: int = 0
    messages: int = 0
    since_ms: int | None = None


def read(tx: Transaction, namespace: str) -> Evicted:
    for row in tx.execute("SELECT chats, messages, since_ms FROM evictions WHERE namespace = ?", (namespace,)):
        return Evicted(*row)
    return Evicted()


def add(tx: Transaction, namespace: str, now_ms: int, *, chats: int = 0, messages: int = 0) -> None:
    tx.execute(
        "INSERT INTO evictions VALUES (?, ?, ?, ?) ON CONFLICT (namespace) DO UPDATE SET "
        "chats = chats + excluded.chats, messages = messages + excluded.messages",
        (namespace, chats, messages, now_ms),
    )


def take_back(tx: Transaction, namespace: str, *, chats: int = 0, messages: int = 0) -> None:
    """Count no longer what was given back; with nothing left the count begins anew."""
    tx.execute(
        "UPDATE evictions SET chats = max(chats - ?, 0), messages = max(messages - ?, 0) WHERE namespace = ?",
        (chats, messages, namespace),
    )
    tx.execute("DELETE FROM evictions WHERE namespace = ? AND chats = 0 AND messages = 0", (namespace,))
