"""Compactions and the way back from them: sessions.compact, .restore, .checkpoints, .deleteCheckpoint (docs/protocol.md).

A compaction gives a chat a new transcript that begins with a summary; a checkpoint keeps the one before, whole. Who writes the
summary, and where the newest part begins that stays word for word, is decided elsewhere: here it is one transaction.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from sidekeep.domain import checkpoint, compaction
from sidekeep.domain.chat import Chat, ChatSize
from sidekeep.domain.checkpoint import MAX_CHECKPOINTS, Checkpoint
from sidekeep.domain.message import MessageId, StoredMessage, text_of
from sidekeep.domain.scope import Scope
from sidekeep.errors import Conflict, InvalidParams, NotFound
from sidekeep.service import bodies, live, messages
from sidekeep.service.chats import chat_of
from sidekeep.service.clock import Clock
from sidekeep.service.key_values import session_key
from sidekeep.service.limits import Limits
from sidekeep.service.messages import Pixels
from sidekeep.service.showing import show, showing
from sidekeep.service.writing import Write, Writes
from sidekeep.store import archives, entries, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class Compacted:
    """A chat whose transcript was replaced, and the checkpoint that has the one before."""

    chat: Chat
    size: ChatSize
    checkpoint: Checkpoint
    messages_before: int


class Checkpoints:
    """One store's checkpoints."""

    def __init__(self, database: Database, clock: Clock, limits: Limits) -> None:
        self._database = database
        self._writes = Writes(database, clock, limits)

    def compact(
        self, scope: Scope, chat_id: str | None, summary: str, *, first_kept: MessageId | None = None
    ) -> Compacted:
        """Let a summary stand for a chat's older part; `chat_id` None is the live conversation's chat.

        What stands from `first_kept` on stays word for word, also what came while the summary was being written; without it the
        newest two turns do. Raises NotFound; InvalidParams for a summary that is empty or not shorter than what it replaces;
        Conflict where there is nothing to summarise.
        """
        with self._writes.begin(scope) as write:
            chat = _chat(write, scope, chat_id)
            stored = transcripts.messages(write.tx, chat.session_id)
            kept = _index_of(stored, first_kept) if first_kept is not None else compaction.first_kept(stored)
            _check(summary, stored[:kept])
            checkpoint_id = str(uuid.uuid4())
            prepared = messages.prepare(compaction.summary_message(summary.strip(), checkpoint_id), write.now_ms)
            after = transcripts.create(write.tx, write.now_ms)
            transcripts.append(write.tx, after, prepared.message)
            transcripts.refer(write.tx, after, ((row.message_pk, row.message_id) for row in stored[kept:]))
            made = checkpoint.new(checkpoint_id, write.now_ms, "compact", chat.session_id, after)
            return replaced(write, chat, made)

    def restore(self, scope: Scope, chat_id: str, checkpoint_id: str) -> Compacted:
        """Return to what a checkpoint has; what the chat is now gets a checkpoint of its own first.

        Raises NotFound, and Conflict while an answer to the chat is written: it would stand without its question.
        """
        with self._writes.begin(scope) as write:
            chat = _chat(write, scope, chat_id)
            found = _checkpoint(chat, checkpoint_id)
            if write.limits.is_running(scope.namespace, chat.id):
                raise Conflict("An answer to this chat is being written. Wait for it, or stop it first.")
            after = transcripts.create(write.tx, write.now_ms)
            transcripts.copy(write.tx, found.before, after)
            made = checkpoint.new(str(uuid.uuid4()), write.now_ms, "restore", chat.session_id, after)
            return replaced(write, chat, made)

    def all(self, scope: Scope, chat_id: str) -> list[tuple[Checkpoint, int]]:
        """A chat's checkpoints, oldest first, each with how many messages it leads back to. Raises NotFound."""
        with self._database.reading() as tx:
            chat = chat_of(tx, scope, chat_id)
            return [(item, transcripts.count(tx, item.before)) for item in chat.checkpoints]

    def transcript(self, scope: Scope, chat_id: str, checkpoint_id: str, pixels: Pixels) -> list[orjson.Fragment]:
        """What a checkpoint has, rendered: the panel shows it folded. Raises NotFound."""
        with self._database.reading() as tx:
            found = _checkpoint(chat_of(tx, scope, chat_id), checkpoint_id)
            return messages.render(tx, transcripts.messages(tx, found.before), pixels)

    def delete(self, scope: Scope, chat_id: str, checkpoint_id: str) -> None:
        """Delete a checkpoint; transcripts that nothing else names go to the archive. Raises NotFound."""
        with self._writes.begin(scope) as write:
            chat = chat_of(write.tx, scope, chat_id)
            drop(write, chat, _checkpoint(chat, checkpoint_id))


def replaced(write: Write, chat: Chat, made: Checkpoint) -> Compacted:
    """Let the transcript after `made` be the chat's; its own is the one before. Live conversations that show it go along."""
    write.touch(session_key(chat.id))
    shown = showing(write, chat)
    chat = chat._replace(
        session_id=made.after,
        checkpoints=(*chat.checkpoints, made),
        usage_family=tuple(dict.fromkeys((*chat.usage_family, chat.session_id))),
    )
    chat = bodies.changed(write, chat)
    show(write, shown, chat)
    while len(chat.checkpoints) > MAX_CHECKPOINTS:
        chat = drop(write, chat, chat.checkpoints[0])
    before = transcripts.count(write.tx, made.before)
    return Compacted(chat, chat.measure.size, made, before)


def whole(tx: Transaction, chat: Chat) -> list[StoredMessage]:
    """Every message that the chat and its checkpoints have, in the order in which they came, summaries among them."""
    sessions = (*(item.before for item in chat.checkpoints), chat.session_id)
    found = {row.message_pk: row for session_id in sessions for row in transcripts.messages(tx, session_id)}
    return list(found.values())


def drop(write: Write, chat: Chat, dropped: Checkpoint) -> Chat:
    """Take a checkpoint out of an entry, and out of its usage family what no other checkpoint of it names."""
    namespace = write.scope.namespace
    family = entries.family(write.tx, namespace, chat.id)
    kept = tuple(item for item in chat.checkpoints if item is not dropped)
    unnamed = dropped.sessions - {name for item in kept for name in item.sessions}
    chat = chat._replace(
        checkpoints=kept, usage_family=tuple(name for name in chat.usage_family if name not in unnamed)
    )
    entries.put_chat(write.tx, namespace, chat)
    gone = [name for name in family if name not in entries.family(write.tx, namespace, chat.id)]
    departure = Departure(namespace, "deleted", write.now_ms, chat.name, chat.folder, chat_id=chat.id, part="earlier")
    archives.release(write.tx, gone, departure)
    return chat


def _chat(write: Write, scope: Scope, chat_id: str | None) -> Chat:
    """The chat of that id, or that of the live conversation, whose rows are written back to it first."""
    own = entries.live(write.tx, scope)
    if own is not None and (chat_id is None or (own.chat_id == chat_id and not live.is_kept(write, own))):
        own = live.follow(write, own)
        chat_id = own.chat_id if chat_id is None else chat_id
    if not chat_id:
        raise Conflict("There is nothing to summarise yet: the conversation has no question.")
    return chat_of(write.tx, scope, chat_id)


def _index_of(stored: Sequence[StoredMessage], message_id: MessageId) -> int:
    for index, message in enumerate(stored):
        if message.message_id == message_id:
            return index
    raise NotFound(
        "The message that the kept part begins with is not in the chat (any more).", what="message", id=message_id
    )


def _check(summary: str, replaced: Sequence[StoredMessage]) -> None:
    contents = [orjson.loads(message.body) for message in replaced]
    if not [body for body in contents if compaction.SUMMARY_MEMBER not in body]:
        raise Conflict("There is nothing to summarise: the chat is short, or compact already.")
    if not summary.strip():
        raise InvalidParams.at("summary", "a summary is not empty")
    if len(summary) >= sum(len(text_of(body.get("content"))) for body in contents):
        raise InvalidParams.at("summary", "is not shorter than what it stands for. Nothing was changed.")


def _checkpoint(chat: Chat, checkpoint_id: str) -> Checkpoint:
    for item in chat.checkpoints:
        if item.id == checkpoint_id:
            return item
    raise NotFound("That checkpoint is not there (any more).", what="checkpoint", id=checkpoint_id)
