"""The live conversation of a profile, and the saved chat that follows it. Steps inside a caller's write.

A conversation becomes a saved chat with its first question (docs/design.md, The store). From then on every change of the
live rows is written back to the chat in the same transaction, by reference. Two profiles may have the same chat open: the
one that comes second to change it finds another revision than it last saw, and goes on in a chat of its own, so neither
overwrites the other.
"""

import uuid
from collections.abc import Sequence

import orjson

from sidekeep.domain import json_value
from sidekeep.domain.chat import NO_CHAT, Chat, ChatId, Live, SessionId, derived_name
from sidekeep.domain.message import MessageId, NewMessage, StoredMessage, text_of
from sidekeep.service import bodies
from sidekeep.service.key_values import SAVED_SESSIONS, session_key
from sidekeep.service.messages import Prepared
from sidekeep.service.writing import Write
from sidekeep.store import archives, area, entries, transcripts
from sidekeep.store.archives import Departure

Rows = Sequence[tuple[int, MessageId]]

LIVE_KEYS = ("activeSessionId", "history")


def ensure(write: Write) -> Live:
    """The live conversation, made where there is none."""
    found = entries.live(write.tx, write.scope)
    if found is None:
        write.touch(*LIVE_KEYS)
        found = Live(transcripts.create(write.tx, write.now_ms), NO_CHAT)
        entries.put_live(write.tx, write.scope, found)
    return found


def append(write: Write, message: NewMessage) -> Live:
    """Append to the live conversation, and to its chat."""
    own = _take_over(write)
    pk = transcripts.append(write.tx, own.session_id, message)
    return follow(write, own, appended=((pk, message.message_id),))


def remove(write: Write, first_seq: int, last_seq: int | None) -> int:
    """Take messages out of the live conversation and its chat; they go to the archive. Returns how many."""
    own = _take_over(write)
    taken = transcripts.cut(write.tx, own.session_id, first_seq, last_seq)
    archives.set_aside(write.tx, taken, Departure(write.scope.namespace, "deleted", write.now_ms))
    follow(write, own)
    transcripts.give_up(write.tx, taken, write.now_ms)
    return len(taken)


def start_over(write: Write) -> Live:
    """An empty live conversation. What no saved chat holds of the old one is archived as a reset."""
    old = entries.live(write.tx, write.scope)
    if old is not None:
        old = follow(write, _take_over(write))
    write.touch(*LIVE_KEYS)
    fresh = Live(transcripts.create(write.tx, write.now_ms), NO_CHAT)
    entries.put_live(write.tx, write.scope, fresh)
    if old is not None:
        _let_go(write, old)
    return fresh


def forget(write: Write) -> None:
    """No live conversation at all: the area's `history` is absent. What no saved chat holds is archived."""
    own = entries.live(write.tx, write.scope)
    if own is not None:
        write.touch("history")
        entries.delete_live(write.tx, write.scope)
        _keep_active_key(write, own)
        _let_go(write, own)


def hide_chat(write: Write) -> None:
    """Let the area's `activeSessionId` be absent (storage.remove); the conversation goes on following its chat."""
    own = entries.live(write.tx, write.scope)
    if own is not None:
        entries.put_live(write.tx, write.scope, own._replace(shows_chat=False))


def replace_all(write: Write, prepared: Sequence[Prepared]) -> None:
    """Make the live conversation these messages (storage.set): rows that are there already are referred to, not written.

    Only this key changes: the saved chat stays as it is. It is followed further where the messages extend the old ones; else
    the conversation belongs to no chat until its next change by history.*, sessions.* or turn.*.
    """
    write.touch("history")
    own = entries.live(write.tx, write.scope)
    session_id, extends = bodies.rewritten(write, own.session_id if own is not None else None, prepared)
    fresh = Live(session_id, NO_CHAT, shows_chat=False)
    if own is not None and extends:
        fresh = own._replace(session_id=session_id)
    elif own is not None:
        _keep_active_key(write, own)
    entries.put_live(write.tx, write.scope, fresh)
    if own is not None:
        _let_go(write, own)


def follow(write: Write, own: Live, *, appended: Rows | None = None) -> Live:
    """Write the live rows back to their saved chat, or to a new one where they have none and hold a question.

    `appended` names the rows that were appended just now: where nothing else has changed, the chat takes those alone.
    """
    chat = entries.chat(write.tx, write.scope.namespace, own.chat_id) if own.chat_id else None
    if chat is None or chat.revision != own.chat_revision:
        return _save_as_new(write, own)
    write.touch(session_key(chat.id))
    if not chat.session_id:  # an index entry that was set without a body, and was opened
        if not transcripts.count(write.tx, own.session_id):
            return own
        chat = chat._replace(session_id=transcripts.create(write.tx, write.now_ms))
    if appended is not None and _is_behind_by(write, own.session_id, chat.session_id, len(appended)):
        transcripts.refer(write.tx, chat.session_id, appended)
        chat = bodies.changed(write, chat, appended=[row for row, _ in appended])
    elif _match(write, own.session_id, chat.session_id):
        chat = bodies.changed(write, chat)
    else:
        return own
    own = own._replace(chat_revision=chat.revision)
    entries.put_live(write.tx, write.scope, own)
    return own


def new_chat(write: Write, source: SessionId, name: str) -> Chat:
    """A saved chat that refers to `source`'s rows."""
    chat_id = ChatId(str(uuid.uuid4()))
    write.touch(SAVED_SESSIONS, session_key(chat_id))
    session_id = transcripts.create(write.tx, write.now_ms)
    transcripts.copy(write.tx, source, session_id)
    measure = bodies.measured(write, session_id)
    chat = Chat(chat_id, session_id, name, write.now_ms, write.now_ms, measure=measure)
    entries.put_chat(write.tx, write.scope.namespace, chat)
    area.remove(write.tx, write.scope, SAVED_SESSIONS)
    return chat


def name_for(messages: Sequence[StoredMessage], now_ms: int) -> str:
    """A chat's name from its first question, else from the date."""
    question = next((message for message in messages if is_question(message)), None)
    return derived_name(text_of(orjson.loads(question.body).get("content")) if question else "", now_ms)


def is_question(message: StoredMessage) -> bool:
    return message.role == "user" and message.attach_id is None


def _keep_active_key(write: Write, own: Live) -> None:
    """Let the area's `activeSessionId` stay what it is, although the conversation that backed it is another one now."""
    if own.shows_chat and not area.get(write.tx, write.scope, ("activeSessionId",)):
        text = orjson.dumps(own.chat_id)
        area.put(
            write.tx, write.scope, "activeSessionId", text, json_value.size_of("activeSessionId", text, own.chat_id)
        )


def _take_over(write: Write) -> Live:
    """The live conversation, about to change: from now on the area's keys are read from its rows."""
    own = ensure(write)
    write.touch(*LIVE_KEYS)
    for key in LIVE_KEYS:
        area.remove(write.tx, write.scope, key)
    if not own.shows_chat:
        own = own._replace(shows_chat=True)
        entries.put_live(write.tx, write.scope, own)
    return own


def _let_go(write: Write, old: Live) -> None:
    archives.let_go(write.tx, old.session_id, Departure(write.scope.namespace, "reset", write.now_ms))


def _save_as_new(write: Write, own: Live) -> Live:
    messages = transcripts.messages(write.tx, own.session_id)
    if any(is_question(message) for message in messages):
        chat = new_chat(write, own.session_id, name_for(messages, write.now_ms))
        own = Live(own.session_id, chat.id, chat.revision)
    else:
        own = Live(own.session_id, NO_CHAT)
    entries.put_live(write.tx, write.scope, own)
    return own


def _is_behind_by(write: Write, source: SessionId, target: SessionId, count: int) -> bool:
    """Whether `target` ends where `source` does without its last `count` events. What stands before is the same then: a
    transcript that changes otherwise than by appends is followed whole."""
    before = transcripts.tail(write.tx, source, count + 1)[:-count]
    return before == transcripts.tail(write.tx, target, 1)


def _match(write: Write, source: SessionId, target: SessionId) -> bool:
    """Make `target` refer to the same rows as `source`, in the same order. False where it did already."""
    wanted, there = transcripts.references(write.tx, source), transcripts.references(write.tx, target)
    if wanted == there:
        return False
    transcripts.cut(write.tx, target, 0)
    transcripts.refer(write.tx, target, wanted)
    return True
