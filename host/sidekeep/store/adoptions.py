"""Which browser profiles' own data this store has taken over, and what became of each body."""

from typing import NamedTuple

from sidekeep.domain.scope import Scope
from sidekeep.store.database import Transaction


class AdoptedBody(NamedTuple):
    """A body that was taken over: the chat it became, and the SHA-256 of what it was."""

    chat_id: str
    fingerprint: bytes


def is_marked(tx: Transaction, scope: Scope) -> bool:
    """Whether the profile's data was taken over, all of it."""
    found = tx.execute("SELECT 1 FROM adoptions WHERE namespace = ? AND profile = ?", (scope.namespace, scope.profile))
    return found.fetchone() is not None


def mark(tx: Transaction, scope: Scope, at_ms: int) -> None:
    tx.execute("INSERT OR IGNORE INTO adoptions VALUES (?, ?, ?)", (scope.namespace, scope.profile, at_ms))


def body(tx: Transaction, scope: Scope, source: str) -> AdoptedBody | None:
    """What became of the profile's body of that name."""
    for chat_id, fingerprint in tx.execute(
        "SELECT chat_id, fingerprint FROM adopted_bodies WHERE namespace = ? AND profile = ? AND source = ?",
        (scope.namespace, scope.profile, source),
    ):
        return AdoptedBody(str(chat_id), bytes(fingerprint))
    return None


def put_body(tx: Transaction, scope: Scope, source: str, adopted: AdoptedBody) -> None:
    tx.execute(
        "INSERT OR REPLACE INTO adopted_bodies VALUES (?, ?, ?, ?, ?)",
        (scope.namespace, scope.profile, source, adopted.chat_id, adopted.fingerprint),
    )


def bodies(tx: Transaction, scope: Scope) -> dict[str, str]:
    """Every body that was taken over from the profile: its name there, and its chat."""
    return {
        str(source): str(chat_id)
        for source, chat_id in tx.execute(
            "SELECT source, chat_id FROM adopted_bodies WHERE namespace = ? AND profile = ?",
            (scope.namespace, scope.profile),
        )
    }
