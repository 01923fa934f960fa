"""What the storage area's keys are, wherever their values lie.

`history`, `activeSessionId`, `savedSessions` and `session_<id>` are conversations to the rest of Sidekeep and rows to the
store; to the area they are keys like any other. A value of another shape than a conversation's is kept as it was set, and wins
until a conversation changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from sidekeep.domain import json_value, plain_json
from sidekeep.domain.chat import SessionId
from sidekeep.domain.scope import Scope
from sidekeep.store import area, changes, entries, facts
from sidekeep.store.changes import ABSENT, DERIVED, Kind, Value
from sidekeep.store.database import Transaction

SESSION_PREFIX = "session_"
SAVED_SESSIONS = "savedSessions"


def is_heavy(key: str) -> bool:
    """Whether a key's value may be rows of a conversation."""
    return key in ("history", SAVED_SESSIONS) or key.startswith(SESSION_PREFIX)


def session_key(chat_id: str) -> str:
    return SESSION_PREFIX + chat_id


def value(tx: Transaction, scope: Scope, key: str) -> Value:
    """A key's value as it lies in the store; nothing is rendered."""
    stored = area.value_key(tx, scope, key)
    if stored is not None:
        return Value(Kind.STORED, stored)
    if key == "history":
        own = entries.live(tx, scope)
        return ABSENT if own is None else _transcript(tx, own.session_id)
    if key == "activeSessionId":
        own = entries.live(tx, scope)
        return ABSENT if own is None or not own.shows_chat else Value(Kind.JSON, plain_json.write(own.chat_id))
    if key == SAVED_SESSIONS:
        return DERIVED if facts.has_chats(tx, scope.namespace) else ABSENT
    if key.startswith(SESSION_PREFIX):
        chat = entries.chat(tx, scope.namespace, key.removeprefix(SESSION_PREFIX))
        return ABSENT if chat is None or not chat.session_id else _transcript(tx, chat.session_id)
    return ABSENT


def values(tx: Transaction, scope: Scope, keys: Iterable[str]) -> dict[str, bytes]:
    """The JSON of those keys that are there, in the order given."""
    wanted = list(keys)
    found = area.get(tx, scope, wanted)
    for key in wanted:
        if key not in found and (is_heavy(key) or key == "activeSessionId"):
            text = rendered(tx, scope, value(tx, scope, key))
            if text is not None:
                found[key] = text
    return {key: found[key] for key in wanted if key in found}


def names(tx: Transaction, scope: Scope) -> list[str]:
    """Every key that is there, in order of its UTF-8 bytes."""
    found = set(area.keys(tx, scope))
    own = entries.live(tx, scope)
    if own is not None:
        found.update(("activeSessionId", "history") if own.shows_chat else ("history",))
    found.update(session_key(chat_id) for chat_id in entries.chat_ids_with_body(tx, scope.namespace))
    if facts.has_chats(tx, scope.namespace):
        found.add(SAVED_SESSIONS)
    return sorted(found)


def rendered(tx: Transaction, scope: Scope, stored: Value) -> bytes | None:
    """A value as JSON; None where the key is absent."""
    if stored.kind == Kind.ABSENT:
        return None
    if isinstance(stored.data, int):
        return area.value(tx, stored.data)
    if stored.kind == Kind.JSON:
        assert isinstance(stored.data, bytes), "JSON is text"
        return stored.data
    from sidekeep.service import messages, session_index
    from sidekeep.store import message_rows

    if stored.kind == Kind.DERIVED:
        return session_index.render(tx, scope.namespace)
    return messages.verbatim(tx, message_rows.by_keys(tx, changes.rows_of(tx, stored)))


def sizes(tx: Transaction, scope: Scope, wanted: set[str] | None) -> dict[str, int]:
    """Bytes in use by key: of those `wanted`, or of all. Every value has its size beside it, so nothing is rendered."""
    found = area.sizes(tx, scope)
    for key in names(tx, scope) if wanted is None else wanted:
        if key not in found:
            size = _size(tx, scope, key)
            if size is not None:
                found[key] = len(key.encode()) + size
    return found


def _size(tx: Transaction, scope: Scope, key: str) -> int | None:
    """Bytes of a value that is no row of the area; None where the key is absent."""
    if key.startswith(SESSION_PREFIX):
        chat = entries.chat(tx, scope.namespace, key.removeprefix(SESSION_PREFIX))
        return chat.measure.body_bytes if chat is not None and chat.session_id else None
    stored = value(tx, scope, key)
    if stored.kind == Kind.TRANSCRIPT:
        from sidekeep.store import message_rows

        return message_rows.area_bytes(tx, changes.rows_of(tx, stored))
    if stored.kind == Kind.DERIVED:
        from sidekeep.service import session_index

        return session_index.size(tx, scope.namespace)
    text = rendered(tx, scope, stored)
    return None if text is None else json_value.size_of("", text, plain_json.read(text))


def _transcript(tx: Transaction, session_id: SessionId) -> Value:
    from sidekeep.store import transcripts

    return changes.transcript_value(session_id, transcripts.last_seq(tx, session_id))
