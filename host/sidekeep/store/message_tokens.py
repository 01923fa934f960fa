"""The estimate of what each message's texts cost, kept beside it: messages do not change, so it is made once."""

from collections.abc import Mapping

from sidekeep.domain.chat import SessionId
from sidekeep.store.database import Transaction


def of_session(tx: Transaction, session_id: SessionId) -> dict[int, int]:
    """Tokens by message row, of those messages of a transcript that have an estimate."""
    rows = tx.execute(
        "SELECT message_pk, tokens FROM message_tokens JOIN transcript_events USING (message_pk) WHERE session_id = ?",
        (session_id,),
    )
    return {int(message_pk): int(tokens) for message_pk, tokens in rows}


def put(tx: Transaction, tokens: Mapping[int, int]) -> None:
    tx.executemany("INSERT OR REPLACE INTO message_tokens VALUES (?, ?)", tokens.items())
