"""Answers under way: what has come of them so far, for a host that is killed before it can write them.

A partial answer lives as long as its question's row, and goes in the transaction that writes the answer.
"""

from typing import Any, NamedTuple

import orjson

from sidekeep.domain.chat import ChatId, SessionId
from sidekeep.domain.scope import Scope
from sidekeep.store.database import Transaction


class Partial(NamedTuple):
    """An answer under way and where it stands. `message` is all of it but its text."""

    answer_id: str
    scope: Scope
    session_id: SessionId
    chat_id: ChatId
    message: dict[str, Any]


def add(tx: Transaction, partial: Partial, question_pk: int, text: str) -> None:
    """Note the next piece of an answer's text. Nothing where the question is there no longer."""
    if next(tx.execute("SELECT 1 FROM messages WHERE message_pk = ?", (question_pk,)), None) is None:
        return
    tx.execute(
        "INSERT OR IGNORE INTO partial_answers VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            partial.answer_id,
            question_pk,
            partial.scope.namespace,
            partial.scope.profile,
            partial.session_id,
            partial.chat_id,
            orjson.dumps(partial.message).decode(),
        ),
    )
    tx.execute("INSERT INTO partial_texts (answer_id, text) VALUES (?, ?)", (partial.answer_id, text))


def drop(tx: Transaction, answer_id: str) -> None:
    """Forget it: the answer is written, or there will be none."""
    tx.execute("DELETE FROM partial_answers WHERE answer_id = ?", (answer_id,))


def everything(tx: Transaction) -> list[Partial]:
    """Every answer that is under way, or was when its host was killed."""
    return [
        Partial(answer_id, Scope(namespace, profile), SessionId(session_id), ChatId(chat_id), orjson.loads(message))
        for answer_id, namespace, profile, session_id, chat_id, message in tx.execute(
            "SELECT answer_id, namespace, profile, session_id, chat_id, message_json FROM partial_answers "
            "ORDER BY question_pk"
        )
    ]


def text_of(tx: Transaction, answer_id: str) -> str:
    """What has come of it; "" where it is not noted any more."""
    pieces = tx.execute("SELECT text FROM partial_texts WHERE answer_id = ? ORDER BY piece", (answer_id,))
    return "".join(str(text) for (text,) in pieces)
