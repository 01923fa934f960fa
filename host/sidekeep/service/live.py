"""The live conversation of a profile, and the saved chat that follows it. Steps inside a caller's transaction.

A conversation becomes a saved chat with its first question (docs/design.md, The store). From then on every change of the
live rows is written back to the chat in the same transaction, by reference. Two profiles may have the same chat open: the
one that comes second to change it finds another revision than it last saw, and goes on in a chat of its own, so neither
overwrites the other.
"""

import uuid
from collections.abc import Sequence
from dataclasses import replace

import orjson

from sidekeep.domain.chat import Chat, ChatId, Live, SessionId, derived_name
from sidekeep.domain.message import MessageId, NewMessage, StoredMessage, text_of
from sidekeep.domain.scope import Scope
from sidekeep.service.messages import Prepared, store_pictures
from sidekeep.store import archives, area, entries, transcripts
from sidekeep.store.archives import Departure, Reason
from sidekeep.store.database import Transaction

Rows = Sequence[tuple[int, MessageId]]
NO_CHAT = ChatId("")


def ensure(tx: Transaction, scope: Scope, now_ms: int) -> Live:
    """The live conversation, made where there is none."""
    found = entries.live(tx, scope)
    if found is None:
        found = Live(transcripts.create(tx, now_ms), NO_CHAT)
        entries.put_live(tx, scope, found)
    return found


def append(tx: Transaction, scope: Scope, message: NewMessage, now_ms: int) -> Live:
    """Append to the live conversation, and to its chat."""
    own = ensure(tx, scope, now_ms)
    pk = transcripts.append(tx, own.session_id, message)
    return follow(tx, scope, own, now_ms, appended=((pk, message.message_id),))


def remove(tx: Transaction, scope: Scope, first_seq: int, last_seq: int | None, now_ms: int) -> int:
    """Take messages out of the live conversation and its chat; they go to the archive. Returns how many."""
    own = ensure(tx, scope, now_ms)
    taken = transcripts.cut(tx, own.session_id, first_seq, last_seq)
    set_aside(tx, scope.namespace, taken, "deleted", now_ms)
    follow(tx, scope, own, now_ms)
    transcripts.drop_unreferenced(tx, taken)
    return len(taken)


def start_over(tx: Transaction, scope: Scope, now_ms: int) -> Live:
    """An empty live conversation. What no saved chat holds of the old one is archived as a reset."""
    old = entries.live(tx, scope)
    if old is not None:
        old = follow(tx, scope, old, now_ms)
    fresh = Live(transcripts.create(tx, now_ms), NO_CHAT)
    entries.put_live(tx, scope, fresh)
    announce_keys_as_rows(tx, scope)
    if old is not None:
        _let_go(tx, scope, old, now_ms)
    return fresh


def _let_go(tx: Transaction, scope: Scope, old: Live, now_ms: int) -> None:
    """Delete a live transcript that no entry names any more; what nothing else holds goes to the archive."""
    if transcripts.is_held_elsewhere(tx, old.session_id):
        transcripts.delete(tx, old.session_id)
    else:
        archives.release(tx, (old.session_id,), Departure(scope.namespace, "reset", now_ms))


def forget(tx: Transaction, scope: Scope, now_ms: int) -> None:
    """No live conversation at all: the area's `history` is absent. What no saved chat holds is archived."""
    own = entries.live(tx, scope)
    if own is not None:
        entries.delete_live(tx, scope)
        _let_go(tx, scope, own, now_ms)


def replace_all(tx: Transaction, scope: Scope, prepared: Sequence[Prepared], now_ms: int) -> None:
    """Make the live conversation these messages (storage.set): rows that are there already are referred to, not written.

    Only this key changes: the saved chat stays as it is. It is followed further where the messages extend the old ones; else the
    conversation belongs to no chat until its next change by history.*, sessions.* or turn.*.
    """
    own = entries.live(tx, scope)
    old = transcripts.messages(tx, own.session_id) if own is not None else []
    kept = 0
    while kept < min(len(old), len(prepared)) and _is_same(old[kept], prepared[kept].message):
        kept += 1
    extends = own is not None and kept == len(old)
    fresh = Live(
        transcripts.create(tx, now_ms), own.chat_id if own and extends else NO_CHAT, own.chat_revision if own else 0
    )
    transcripts.refer(tx, fresh.session_id, ((row.message_pk, row.message_id) for row in old[:kept]))
    used = {row.message_id for row in old[:kept]}
    for item in prepared[kept:]:
        store_pictures(tx, item)
        message = item.message if item.message.message_id not in used else _with_new_id(item.message)
        used.add(message.message_id)
        transcripts.append(tx, fresh.session_id, message)
    entries.put_live(tx, scope, fresh)
    area.remove(tx, scope, "history")
    if own is not None:
        _let_go(tx, scope, own, now_ms)


def _is_same(row: StoredMessage, message: NewMessage) -> bool:
    return row.body == message.body and row.cuts == message.cuts


def _with_new_id(message: NewMessage) -> NewMessage:
    """Two messages of one value may carry the same id; a transcript knows each by one of its own."""
    return replace(message, message_id=MessageId(str(uuid.uuid4())))


def follow(tx: Transaction, scope: Scope, own: Live, now_ms: int, *, appended: Rows | None = None) -> Live:
    """Write the live rows back to their saved chat, or to a new one where they have none and hold a question.

    `appended` names the rows that were appended just now: where nothing else has changed, the chat takes those alone.
    """
    announce_keys_as_rows(tx, scope)
    chat = entries.chat(tx, scope.namespace, own.chat_id) if own.chat_id else None
    if chat is None or chat.revision != own.chat_revision:
        return _save_as_new(tx, scope, own, now_ms)
    if appended is not None and _is_behind_by(tx, own.session_id, chat.session_id, len(appended)):
        transcripts.refer(tx, chat.session_id, appended)
    elif not _match(tx, own.session_id, chat.session_id):
        return own
    chat = chat._replace(revision=chat.revision + 1, updated_at_ms=now_ms)
    entries.put_chat(tx, scope.namespace, chat)
    own = own._replace(chat_revision=chat.revision)
    entries.put_live(tx, scope, own)
    return own


def set_aside(tx: Transaction, namespace: str, rows: Sequence[int], reason: Reason, now_ms: int) -> None:
    """Archive rows that leave a conversation, under a session id of their own. Their references are gone already."""
    if not rows:
        return
    session_id = transcripts.create(tx, now_ms)
    transcripts.refer(tx, session_id, transcripts.identities(tx, rows))
    archives.release(tx, (session_id,), Departure(namespace, reason, now_ms))


def announce_keys_as_rows(tx: Transaction, scope: Scope) -> None:
    """From now on the area's `history` and `activeSessionId` are read from the rows, not from what storage.set left."""
    area.remove(tx, scope, "history")
    area.remove(tx, scope, "activeSessionId")


def new_chat(tx: Transaction, namespace: str, source: SessionId, name: str, now_ms: int) -> Chat:
    """A saved chat that refers to `source`'s rows."""
    session_id = transcripts.create(tx, now_ms)
    transcripts.copy(tx, source, session_id)
    chat = Chat(ChatId(str(uuid.uuid4())), session_id, name, now_ms, now_ms)
    entries.put_chat(tx, namespace, chat)
    return chat


def name_for(messages: Sequence[StoredMessage], now_ms: int) -> str:
    """A chat's name from its first question, else from the date."""
    question = next((message for message in messages if is_question(message)), None)
    return derived_name(text_of(orjson.loads(question.body).get("content")) if question else "", now_ms)


def is_question(message: StoredMessage) -> bool:
    return message.role == "user" and message.attach_id is None


def _save_as_new(tx: Transaction, scope: Scope, own: Live, now_ms: int) -> Live:
    messages = transcripts.messages(tx, own.session_id)
    if any(is_question(message) for message in messages):
        chat = new_chat(tx, scope.namespace, own.session_id, name_for(messages, now_ms), now_ms)
        own = Live(own.session_id, chat.id, chat.revision)
    else:
        own = Live(own.session_id, NO_CHAT)
    entries.put_live(tx, scope, own)
    return own


def _is_behind_by(tx: Transaction, source: SessionId, target: SessionId, count: int) -> bool:
    return transcripts.count(tx, target) + count == transcripts.count(tx, source)


def _match(tx: Transaction, source: SessionId, target: SessionId) -> bool:
    """Make `target` refer to the same rows as `source`, in the same order. False where it did already."""
    wanted, there = transcripts.references(tx, source), transcripts.references(tx, target)
    if wanted == there:
        return False
    transcripts.cut(tx, target, 0)
    transcripts.refer(tx, target, wanted)
    return True
