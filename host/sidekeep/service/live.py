"""The live conversation of a profile, and the saved chat that follows it. Steps inside a caller's write.

A conversation becomes a saved chat with its first question (docs/design.md, The store). From then on every change of the
live rows is written back to the chat in the same transaction, by reference. Two profiles may have the same chat open: the
one that comes second to change it finds another revision than it last saw, and goes on in a chat of its own, so neither
overwrites the other.
"""

import uuid
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from sidekeep.domain import json_value
from sidekeep.domain.chat import NO_CHAT, Chat, ChatId, Live, Measure, SessionId, derived_name
from sidekeep.domain.compaction import SUMMARY_HEADER
from sidekeep.domain.message import MessageId, NewMessage, StoredMessage, text_of
from sidekeep.domain.turns import is_question
from sidekeep.domain.usage import Usage, spent
from sidekeep.service import bodies, removal, retention, session_index
from sidekeep.service.key_values import SAVED_SESSIONS, session_key
from sidekeep.service.messages import Prepared
from sidekeep.service.writing import Write
from sidekeep.store import archives, area, entries, message_rows, transcripts
from sidekeep.store.archives import Departure, Reason

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
    """Append to the live conversation, and to its chat. What is over the limit of messages goes to the archive."""
    own = _take_over(write)
    pk = transcripts.append(write.tx, own.session_id, message)
    if message.role == "assistant":
        own = own._replace(usage=spent(own.usage, message_rows.by_keys(write.tx, (pk,))))
        entries.put_live(write.tx, write.scope, own)
    own = follow(write, own, appended=((pk, message.message_id),))
    return _within_limit(write, own)


class Removed(NamedTuple):
    """How many messages were taken out, and the transcript that the archive has them under."""

    messages: int
    session_id: SessionId


def remove(write: Write, first_seq: int, last_seq: int | None) -> Removed:
    """Take messages out of the live conversation and its chat; they go to the archive."""
    own = _take_over(write)
    departure = _departure(write, own, "deleted")
    taken = transcripts.cut(write.tx, own.session_id, first_seq, last_seq)
    aside = archives.set_aside(write.tx, taken, departure)
    follow(write, own)
    message_rows.give_up(write.tx, taken, write.now_ms)
    return Removed(len(taken), aside)


def replace_tail(write: Write, first_seq: int, rows: Rows) -> None:
    """Put these rows in the place of what the conversation has from `first_seq` on, which goes to the archive."""
    own = _take_over(write)
    departure = _departure(write, own, "deleted")
    taken = transcripts.cut(write.tx, own.session_id, first_seq)
    transcripts.refer(write.tx, own.session_id, rows)
    archives.set_aside(write.tx, taken, departure)
    follow(write, own)
    message_rows.give_up(write.tx, taken, write.now_ms)


def settle(write: Write) -> None:
    """Call after a removal: a conversation without messages belongs to no chat, and a chat without any is none."""
    own = entries.live(write.tx, write.scope)
    if own is not None and own.chat_id and not transcripts.count(write.tx, own.session_id):
        chat = entries.chat(write.tx, write.scope.namespace, own.chat_id)
        if chat is not None and not chat.measure.messages:
            removal.remove_chat(write, chat)
        else:
            write.touch("activeSessionId")
            entries.put_live(write.tx, write.scope, own._replace(chat_id=NO_CHAT, chat_revision=0))


def replace(write: Write, old: StoredMessage, new: NewMessage) -> None:
    """Put a row in the place of a message of the live conversation, and of its chat."""
    own = _take_over(write)
    transcripts.replace(write.tx, own.session_id, old, new)
    follow(write, own)
    message_rows.give_up(write.tx, (old.message_pk,), write.now_ms)


def start_over(write: Write) -> Live:
    """An empty live conversation. What no saved chat holds of the old one is archived as a reset."""
    old = entries.live(write.tx, write.scope)
    if old is not None:
        is_kept_elsewhere = is_kept(write, old)
        old = _take_over(write)
        if not is_kept_elsewhere:
            old = follow(write, old)
    write.touch(*LIVE_KEYS)
    fresh = Live(transcripts.create(write.tx, write.now_ms), NO_CHAT, usage=old.usage if old is not None else Usage())
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
    there = transcripts.messages(write.tx, own.session_id) if own is not None else ()
    session_id, extends = bodies.rewritten(write, there, prepared)
    fresh = Live(session_id, NO_CHAT, shows_chat=False, usage=own.usage if own is not None else Usage())
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
    elif transcripts.match(write.tx, chat.session_id, transcripts.references(write.tx, own.session_id)):
        chat = bodies.changed(write, chat)
    else:
        return own
    own = own._replace(chat_revision=chat.revision)
    entries.put_live(write.tx, write.scope, own)
    return own


def is_kept(write: Write, own: Live) -> bool:
    """Whether a conversation needs no chat made of it: its chat was deleted, or went on elsewhere and has all of it."""
    if not own.chat_id:
        return own.shows_chat
    chat = entries.chat(write.tx, write.scope.namespace, own.chat_id)
    if chat is None or chat.revision == own.chat_revision:
        return False
    mine, its = (transcripts.references(write.tx, session_id) for session_id in (own.session_id, chat.session_id))
    return set(mine) <= set(its)


def new_chat(write: Write, rows: Rows, name: str, *, folder: str | None = None) -> Chat:
    """A saved chat that refers to those rows. Chats over the limit go to the archive for it."""
    chat_id = ChatId(str(uuid.uuid4()))
    write.touch(SAVED_SESSIONS, session_key(chat_id))
    session_id = transcripts.create(write.tx, write.now_ms)
    transcripts.refer(write.tx, session_id, rows)
    stored = transcripts.messages(write.tx, session_id)
    measure, usage = session_index.grown(Measure(), stored), spent(Usage(), stored)
    chat = Chat(chat_id, session_id, name, write.now_ms, write.now_ms, folder=folder, measure=measure, usage=usage)
    entries.put_chat(write.tx, write.scope.namespace, chat)
    session_index.take_over(write)
    retention.make_room(write, spare=chat.id)
    return chat


def name_for(messages: Sequence[NewMessage], now_ms: int) -> str:
    """A chat's name from its first question, else from the date."""
    texts = (text_of(orjson.loads(message.body).get("content")) for message in messages if is_question(message))
    question = next((text for text in texts if not text.startswith(SUMMARY_HEADER)), "")
    return derived_name(question, now_ms)


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
    write.touch("history")
    area.remove(write.tx, write.scope, "history")
    if not own.shows_chat or area.value_key(write.tx, write.scope, "activeSessionId") is not None:
        write.touch("activeSessionId")
        area.remove(write.tx, write.scope, "activeSessionId")
        own = own._replace(shows_chat=True)
        entries.put_live(write.tx, write.scope, own)
    return own


def _let_go(write: Write, old: Live) -> None:
    archives.let_go(write.tx, old.session_id, _departure(write, old, "reset"))


def _departure(write: Write, own: Live, reason: Reason) -> Departure:
    """What the archive says of what leaves this conversation: the chat that it belongs to."""
    chat = entries.chat(write.tx, write.scope.namespace, own.chat_id) if own.chat_id else None
    return Departure.from_chat(write.scope.namespace, reason, write.now_ms, chat)


def _within_limit(write: Write, own: Live) -> Live:
    """The conversation without what is over the limit of messages, which is archived."""
    chat = entries.chat(write.tx, write.scope.namespace, own.chat_id) if own.chat_id else None
    if chat is not None:
        retention.trim_chat(write, chat)
    else:
        retention.trim_unsaved(write, own)
    return entries.live(write.tx, write.scope) or own


def _save_as_new(write: Write, own: Live) -> Live:
    write.touch("activeSessionId")
    messages = transcripts.messages(write.tx, own.session_id)
    if any(is_question(message) for message in messages):
        rows = [(message.message_pk, message.message_id) for message in messages]
        chat = new_chat(write, rows, name_for(messages, write.now_ms))
        own = own._replace(chat_id=chat.id, chat_revision=chat.revision, shows_chat=True)
    else:
        own = own._replace(chat_id=NO_CHAT, chat_revision=0, shows_chat=True)
    entries.put_live(write.tx, write.scope, own)
    return own


def _is_behind_by(write: Write, source: SessionId, target: SessionId, count: int) -> bool:
    """Whether `target` ends where `source` does without its last `count` events. What stands before is the same then: a
    transcript that changes otherwise than by appends is followed whole."""
    before = transcripts.tail(write.tx, source, count + 1)[:-count]
    return before == transcripts.tail(write.tx, target, 1)
