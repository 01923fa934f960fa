"""How a saved chat goes: to the archive, with its whole family; or for good. Steps inside a caller's write."""

from collections.abc import Iterable

from sidekeep.domain.chat import NO_CHAT, Chat, ChatId, Live, SessionId
from sidekeep.domain.scope import Scope
from sidekeep.service import session_index
from sidekeep.service.key_values import SAVED_SESSIONS, session_key
from sidekeep.service.writing import Write
from sidekeep.store import archived, archives, area, changes, entries, erasing, evictions, imports, traces, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.erasing import Erased


def remove_chat(write: Write, chat: Chat, *, evicted: bool = False) -> None:
    """Archive a chat and delete it. A live conversation that shows it stays, and belongs to no chat any more."""
    namespace = write.scope.namespace
    departure = Departure.from_chat(namespace, "deleted", write.now_ms, chat, evicted=evicted)
    archives.release_family(write.tx, _without_entry(write, chat), departure)
    if evicted:
        evictions.add(write.tx, namespace, write.now_ms, chats=1)


def erase_chat(write: Write, chat: Chat) -> Erased:
    """Delete a chat for good, with what the archive has of it and the live conversations that show it."""
    shown = [
        _emptied(write, scope, own) for scope, own in entries.live_with_chat(write.tx, write.scope.namespace, chat.id)
    ]
    family = _without_entry(write, chat)
    erased = erasing.archives(write.tx, archived.of_chat(write.tx, write.scope.namespace, chat.id))
    imports.forget_kept(write.tx, write.scope.namespace, chat.id)
    traces.mark(write.tx)
    return erased.plus(erasing.transcripts_of(write.tx, (*shown, *family), write.now_ms))


def forget_changes(write: Write, chat_ids: Iterable[ChatId]) -> None:
    """Let the record of changes know nothing of what was erased. Call when the erasing write itself is recorded."""
    keys = ("history", SAVED_SESSIONS, *map(session_key, chat_ids))
    changes.forget_values(write.tx, write.scope.namespace, keys)


def _without_entry(write: Write, chat: Chat) -> tuple[SessionId, ...]:
    """Delete a chat's entry; returns its family, which nothing of it names any more."""
    namespace = write.scope.namespace
    for scope, own in entries.live_with_chat(write.tx, namespace, chat.id):
        with write.of_profile(scope) as its:
            its.touch("activeSessionId")
            entries.put_live(write.tx, scope, own._replace(chat_id=NO_CHAT, chat_revision=0))
    write.touch(SAVED_SESSIONS, session_key(chat.id))
    family = entries.family(write.tx, namespace, chat.id)
    session_index.take_over(write)
    entries.delete_chat(write.tx, namespace, chat.id)
    area.remove(write.tx, write.scope, session_key(chat.id))
    return family


def _emptied(write: Write, scope: Scope, own: Live) -> SessionId:
    """Give a profile an empty live conversation; returns the transcript of the old one."""
    with write.of_profile(scope) as its:
        its.touch("history", "activeSessionId")
        fresh = transcripts.create(write.tx, write.now_ms)
        entries.put_live(write.tx, scope, own._replace(session_id=fresh, chat_id=NO_CHAT, chat_revision=0))
    return own.session_id
