"""Saved chats: sessions.* (docs/protocol.md, Sessions)."""

from dataclasses import dataclass

import orjson

from sidekeep.domain.chat import Chat, ChatId, ChatSize, Live, given_name
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service import live, messages
from sidekeep.service.clock import Clock
from sidekeep.service.key_values import SAVED_SESSIONS, session_key
from sidekeep.service.messages import Pixels
from sidekeep.service.writing import Write, Writes
from sidekeep.store import archives, area, entries, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of the list of chats; `total` counts all that matched."""

    chats: list[tuple[Chat, ChatSize]]
    total: int


class Chats:
    """One store's saved chats."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._writes = Writes(database, clock)

    def page(self, scope: Scope, *, query: str = "", folder: str | None = None, limit: int, offset: int) -> Listed:
        """Chats, latest activity first, whose name holds `query`."""
        wanted = query.casefold().strip()
        with self._database.reading() as tx:
            found = [
                chat
                for chat in entries.chats(tx, scope.namespace)
                if wanted in chat.name.casefold() and (folder is None or chat.folder == folder)
            ]
            page = [(chat, transcripts.size(tx, chat.session_id)) for chat in found[offset : offset + limit]]
        return Listed(page, len(found))

    def save(self, scope: Scope, name: str | None) -> tuple[Chat, ChatSize]:
        """A new snapshot of the live conversation, by reference; what is live keeps its own chat. Raises InvalidParams."""
        with self._writes.begin(scope) as write:
            own = entries.live(write.tx, scope)
            stored = transcripts.messages(write.tx, own.session_id) if own is not None else []
            if own is None or not stored:
                raise InvalidParams("There is nothing to save: the conversation is empty.", errors=[])
            chat = live.new_chat(write, own.session_id, given_name(name) or live.name_for(stored, write.now_ms))
            return chat, transcripts.size(write.tx, chat.session_id)

    def load(self, scope: Scope, chat_id: str) -> int:
        """Make a saved chat the live conversation; the one before is written back first. Returns its messages' number.

        Raises NotFound.
        """
        with self._writes.begin(scope) as write:
            _found(write.tx, scope, chat_id)
            fresh = live.start_over(write)
            chat = _found(write.tx, scope, chat_id)  # again: writing back may have changed this very chat
            transcripts.copy(write.tx, chat.session_id, fresh.session_id)
            entries.put_live(write.tx, scope, Live(fresh.session_id, chat.id, chat.revision))
            return transcripts.count(write.tx, chat.session_id)

    def get(self, scope: Scope, chat_id: str, pixels: Pixels) -> tuple[Chat, ChatSize, list[orjson.Fragment]]:
        """A chat with its messages, rendered. Raises NotFound."""
        with self._database.reading() as tx:
            chat = _found(tx, scope, chat_id)
            stored = transcripts.messages(tx, chat.session_id)
            size = transcripts.size(tx, chat.session_id)
            return chat, size, messages.render(tx, stored, pixels)

    def rename(self, scope: Scope, chat_id: str, name: str) -> tuple[Chat, ChatSize]:
        """Give a chat another name. Raises NotFound, InvalidParams for a name of blanks."""
        title = given_name(name)
        if not title:
            raise InvalidParams.at("name", "a name is not empty")
        with self._writes.begin(scope) as write:
            write.touch(SAVED_SESSIONS)
            chat = _found(write.tx, scope, chat_id)._replace(name=title)
            entries.put_chat(write.tx, scope.namespace, chat)
            area.remove(write.tx, scope, SAVED_SESSIONS)
            return chat, transcripts.size(write.tx, chat.session_id)

    def delete(self, scope: Scope, chat_ids: list[str]) -> int:
        """Delete chats; their messages go to the archive. Ids that are gone already are passed over. Returns how many went."""
        with self._writes.begin(scope) as write:
            return sum(_delete_one(write, chat_id) for chat_id in dict.fromkeys(chat_ids))


def _delete_one(write: Write, chat_id: str) -> int:
    namespace = write.scope.namespace
    chat = entries.chat(write.tx, namespace, chat_id)
    if chat is None:
        return 0
    write.touch(SAVED_SESSIONS, session_key(chat_id), "activeSessionId")
    family = entries.family(write.tx, namespace, chat_id)
    entries.delete_chat(write.tx, namespace, chat_id)
    entries.detach_live(write.tx, namespace, ChatId(chat_id))
    for key in (SAVED_SESSIONS, session_key(chat_id)):
        area.remove(write.tx, write.scope, key)
    archives.release(write.tx, family, Departure(namespace, "deleted", write.now_ms, chat.name, chat.folder))
    return 1


def _found(tx: Transaction, scope: Scope, chat_id: str) -> Chat:
    chat = entries.chat(tx, scope.namespace, chat_id)
    if chat is None:
        raise NotFound("That chat is not in the store (any more).", what="session", id=chat_id)
    return chat
