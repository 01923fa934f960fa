"""What limits remove, and what they would remove. What leaves goes to the archive and is counted.

Steps inside a caller's write, in the same transaction as what went over the limit. storage.set removes nothing: its value must
read back whole.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sidekeep.domain.chat import Chat, ChatId, ChatSize, Live, SessionId
from sidekeep.domain.retention import chats_over
from sidekeep.domain.scope import Scope
from sidekeep.domain.turns import oldest_turns
from sidekeep.service import bodies, removal
from sidekeep.service.clock import Clock
from sidekeep.service.key_values import session_key
from sidekeep.service.limits import Limits
from sidekeep.service.showing import show, showing
from sidekeep.service.writing import Write, Writes
from sidekeep.settings.model import Settings
from sidekeep.store import archives, entries, evictions, facts, message_rows, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.database import Database


@dataclass(frozen=True, slots=True)
class Excess:
    """Chats over the limit, first to leave first, and how many messages of the others would leave."""

    chats: list[tuple[Chat, ChatSize]]
    messages: int


def excess(
    database: Database, scope: Scope, settings: Settings, is_running: Callable[[ChatId], bool] = lambda _chat: False
) -> Excess:
    """What these settings' limits would remove of a namespace. Chats that are open in a profile, or running, stay."""
    with database.reading() as tx:
        exempt = entries.live_chat_ids(tx, scope.namespace)
        found = chats_over(list(entries.chats(tx, scope.namespace)), settings.limit_chats, exempt, is_running)
        leaving = {chat.id for chat in found}
        messages = sum(
            _over(transcripts.outline(tx, session_id), settings.limit_messages)
            for chat_id, session_id in facts.longer_chats(tx, scope.namespace, settings.limit_messages).items()
            if chat_id not in leaving
        )
        return Excess([(chat, chat.measure.size) for chat in found], messages)


def enforce(database: Database, limits: Limits, clock: Clock) -> None:
    """Archive whatever is over the limits, of every namespace. For limits that have become lower."""
    with database.reading() as tx:
        namespaces = entries.namespaces(tx)
    for namespace in namespaces:
        with Writes(database, clock, limits).begin(Scope(namespace)) as write:
            make_room(write)
            _trim_all(write)


def _trim_all(write: Write) -> None:
    for chat_id in facts.longer_chats(write.tx, write.scope.namespace, write.limits.messages):
        chat = entries.chat(write.tx, write.scope.namespace, chat_id)
        if chat is not None:
            trim_chat(write, chat)


def make_room(write: Write, *, spare: ChatId | None = None) -> None:
    """Archive the chats that are over the limit; never those that are open, running, or `spare`, which was just saved."""
    namespace, limit = write.scope.namespace, write.limits.chats
    if not limit or facts.count_chats(write.tx, namespace) <= limit:
        return
    exempt = entries.live_chat_ids(write.tx, namespace) | ({spare} if spare is not None else set())
    everything = list(entries.chats(write.tx, namespace))
    for chat in chats_over(everything, limit, exempt, lambda chat_id: write.limits.is_running(namespace, chat_id)):
        removal.remove_chat(write, chat, evicted=True)


def trim_chat(write: Write, chat: Chat) -> None:
    """Archive the oldest turns of a chat that has too many messages. Live conversations that show it go along."""
    leaving = _over(_outline(write, chat.session_id, chat.measure.messages), write.limits.messages)
    if not leaving:
        return
    write.touch(session_key(chat.id))
    shown = showing(write, chat)
    taken = transcripts.cut_first(write.tx, chat.session_id, leaving)
    _set_aside(write, taken, chat)
    show(write, shown, bodies.changed(write, chat))
    message_rows.give_up(write.tx, taken, write.now_ms)


def trim_unsaved(write: Write, own: Live) -> None:
    """The same for a live conversation that is no chat yet."""
    limit = write.limits.messages
    leaving = _over(_outline(write, own.session_id, transcripts.count(write.tx, own.session_id)), limit)
    if leaving:
        write.touch("history")
        _set_aside(write, transcripts.cut_first(write.tx, own.session_id, leaving), None)


def _set_aside(write: Write, taken: list[int], chat: Chat | None) -> None:
    """Archive messages that are over the limit, and count them."""
    namespace = write.scope.namespace
    departure = Departure.from_chat(namespace, "deleted", write.now_ms, chat, evicted=True)
    archives.set_aside(write.tx, taken, departure)
    evictions.add(write.tx, namespace, write.now_ms, messages=len(taken))


def _outline(write: Write, session_id: SessionId, count: int) -> list[transcripts.Outline]:
    """The messages' outline where there are too many; nothing is read of a chat that is within the limit."""
    limit = write.limits.messages
    return transcripts.outline(write.tx, session_id) if limit and count > limit else []


def _over(outline: list[transcripts.Outline], limit: int) -> int:
    """How many messages leave, oldest first."""
    return oldest_turns(outline, len(outline) - limit) if limit else 0
