"""Saved chats: sessions.* (docs/protocol.md, Sessions)."""

from dataclasses import dataclass

import orjson

from sidekeep.domain.chat import Chat, ChatId, ChatSize, Live, given_name
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service import live, messages
from sidekeep.service.clock import Clock
from sidekeep.service.messages import Pixels
from sidekeep.store import archives, entries, transcripts
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
        self._clock = clock

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
        now_ms = self._clock()
        with self._database.transaction() as tx:
            own = entries.live(tx, scope)
            stored = transcripts.messages(tx, own.session_id) if own is not None else []
            if own is None or not stored:
                raise InvalidParams("There is nothing to save: the conversation is empty.", errors=[])
            title = given_name(name) or live.name_for(stored, now_ms)
            chat = live.new_chat(tx, scope.namespace, own.session_id, title, now_ms)
            return chat, transcripts.size(tx, chat.session_id)

    def load(self, scope: Scope, chat_id: str) -> int:
        """Make a saved chat the live conversation; the one before is written back first. Returns its messages' number.

        Raises NotFound.
        """
        now_ms = self._clock()
        with self._database.transaction() as tx:
            _found(tx, scope, chat_id)
            fresh = live.start_over(tx, scope, now_ms)
            chat = _found(tx, scope, chat_id)  # again: writing back may have changed this very chat
            transcripts.copy(tx, chat.session_id, fresh.session_id)
            entries.put_live(tx, scope, Live(fresh.session_id, chat.id, chat.revision))
            return transcripts.count(tx, chat.session_id)

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
        with self._database.transaction() as tx:
            chat = _found(tx, scope, chat_id)._replace(name=title)
            entries.put_chat(tx, scope.namespace, chat)
            return chat, transcripts.size(tx, chat.session_id)

    def delete(self, scope: Scope, chat_ids: list[str]) -> int:
        """Delete chats; their messages go to the archive. Ids that are gone already are passed over. Returns how many went."""
        now_ms = self._clock()
        with self._database.transaction() as tx:
            return sum(self._delete_one(tx, scope, chat_id, now_ms) for chat_id in dict.fromkeys(chat_ids))

    def _delete_one(self, tx: Transaction, scope: Scope, chat_id: str, now_ms: int) -> int:
        chat = entries.chat(tx, scope.namespace, chat_id)
        if chat is None:
            return 0
        family = entries.family(tx, scope.namespace, chat_id)
        entries.delete_chat(tx, scope.namespace, chat_id)
        entries.detach_live(tx, scope.namespace, ChatId(chat_id))
        archives.release(tx, family, Departure(scope.namespace, "deleted", now_ms, chat.name, chat.folder))
        return 1


def _found(tx: Transaction, scope: Scope, chat_id: str) -> Chat:
    chat = entries.chat(tx, scope.namespace, chat_id)
    if chat is None:
        raise NotFound("That chat is not in the store (any more).", what="session", id=chat_id)
    return chat
