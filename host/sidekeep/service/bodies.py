"""Bodies of saved chats: `session_<id>` as the storage area sets them, and what every change of one has in common."""

import uuid
from collections.abc import Sequence

from sidekeep.domain import json_value
from sidekeep.domain.chat import NO_SESSION, Chat, ChatId, Measure, SessionId
from sidekeep.domain.message import MessageId, NewMessage, StoredMessage
from sidekeep.domain.usage import spent
from sidekeep.service import session_index
from sidekeep.service.key_values import SAVED_SESSIONS, session_key
from sidekeep.service.messages import Prepared, store_pictures
from sidekeep.service.writing import Write
from sidekeep.store import archives, area, entries, message_rows, transcripts
from sidekeep.store.archives import Departure


def changed(write: Write, chat: Chat, *, appended: Sequence[int] | None = None) -> Chat:
    """Note that a chat's transcript has changed, by an append of those rows or otherwise. Its key was touched before."""
    write.touch(SAVED_SESSIONS)
    session_index.take_over(write)
    area.remove(write.tx, write.scope, session_key(chat.id))
    if appended is not None:
        rows = message_rows.by_keys(write.tx, appended)
        chat = chat._replace(measure=session_index.grown(chat.measure, rows), usage=spent(chat.usage, rows))
    else:
        chat = chat._replace(measure=measured(write, chat.session_id))
    chat = chat._replace(revision=chat.revision + 1, updated_at_ms=write.now_ms)
    entries.put_chat(write.tx, write.scope.namespace, chat)
    return chat


def replace_tail(write: Write, chat: Chat, first_seq: int, rows: Sequence[tuple[int, MessageId]]) -> Chat:
    """Put these rows in the place of what the chat has from `first_seq` on, which goes to the archive."""
    write.touch(session_key(chat.id))
    taken = transcripts.cut(write.tx, chat.session_id, first_seq)
    transcripts.refer(write.tx, chat.session_id, rows)
    archives.set_aside(write.tx, taken, _departure(write, chat))
    return changed(write, chat)


def measured(write: Write, session_id: SessionId) -> Measure:
    """The measure of a transcript, taken from its messages."""
    return session_index.grown(Measure(), transcripts.messages(write.tx, session_id))


def replace_body(write: Write, chat_id: str, prepared: Sequence[Prepared]) -> None:
    """Make a chat's body these messages (storage.set of `session_<id>`). A chat that is not there becomes one, unlisted."""
    namespace = write.scope.namespace
    chat = entries.chat(write.tx, namespace, chat_id)
    if chat is not None and chat.listed:
        session_index.hold(write)
    old = chat.session_id if chat is not None and chat.session_id else None
    session_id, _ = rewritten(write, transcripts.messages(write.tx, old) if old is not None else (), prepared)
    if chat is None:
        chat = Chat(ChatId(chat_id), NO_SESSION, "", write.now_ms, write.now_ms, listed=False)
    chat = chat._replace(
        session_id=session_id,
        revision=chat.revision + 1,
        updated_at_ms=write.now_ms,
        measure=measured(write, session_id),
    )
    entries.put_chat(write.tx, namespace, chat)
    if old is not None:
        _release(write, chat, old)


def remove_body(write: Write, chat_id: str) -> None:
    """Take a chat's body away (storage.remove of `session_<id>`); it goes to the archive. Its index entry stays."""
    namespace = write.scope.namespace
    chat = entries.chat(write.tx, namespace, chat_id)
    if chat is None or not chat.session_id:
        return
    if chat.listed:
        session_index.hold(write)
        entries.put_chat(
            write.tx, namespace, chat._replace(session_id=NO_SESSION, revision=chat.revision + 1, measure=Measure())
        )
        _release(write, chat, chat.session_id)
    else:
        family = entries.family(write.tx, namespace, chat_id)
        entries.delete_chat(write.tx, namespace, chat_id)
        archives.release_family(write.tx, family, _departure(write, chat))


def rewritten(write: Write, there: Sequence[StoredMessage], prepared: Sequence[Prepared]) -> tuple[SessionId, bool]:
    """A new transcript of these messages, referring to the rows that are `there` as far as the two are the same.

    Also whether the messages extend those.
    """
    kept = 0
    while kept < min(len(there), len(prepared)) and _is_same(there[kept], prepared[kept].message):
        kept += 1
    session_id = transcripts.create(write.tx, write.now_ms)
    transcripts.refer(write.tx, session_id, ((row.message_pk, row.message_id) for row in there[:kept]))
    used = {row.message_id for row in there[:kept]}
    for item in prepared[kept:]:
        store_pictures(write.tx, item)
        message = item.message if item.message.message_id not in used else _with_new_id(item.message)
        used.add(message.message_id)
        transcripts.append(write.tx, session_id, message)
    return session_id, kept == len(there)


def _release(write: Write, chat: Chat, session_id: SessionId) -> None:
    archives.let_go(write.tx, session_id, _departure(write, chat))


def _departure(write: Write, chat: Chat) -> Departure:
    return Departure.from_chat(write.scope.namespace, "deleted", write.now_ms, chat)


def _is_same(row: StoredMessage, message: NewMessage) -> bool:
    """Whether they are the same value: the order of an object's members is none of it."""
    if row.body == message.body and row.cuts == message.cuts:
        return True
    pictures = [(cut.sha256, cut.head) for cut in row.cuts] == [(cut.sha256, cut.head) for cut in message.cuts]
    return pictures and json_value.equal(row.body, message.body)


def _with_new_id(message: NewMessage) -> NewMessage:
    """Two messages of one value may carry the same id; a transcript knows each by one of its own."""
    from dataclasses import replace

    return replace(message, message_id=MessageId(str(uuid.uuid4())))
