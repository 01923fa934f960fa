"""Saved chats: sessions.* (docs/protocol.md, Sessions). Each of these goes through `read_session_index` first."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import orjson

from sidekeep.domain import search_text
from sidekeep.domain.chat import Chat, ChatId, ChatSize, given_name
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service import finding, live, messages, removal, session_index
from sidekeep.service.clock import Clock
from sidekeep.service.finding import Shown
from sidekeep.service.key_values import SAVED_SESSIONS
from sidekeep.service.limits import NO_LIMITS, Limits
from sidekeep.service.messages import Pixels
from sidekeep.service.writing import Write, Writes
from sidekeep.store import entries, evictions, folders, message_rows, transcripts
from sidekeep.store.database import Database, Transaction
from sidekeep.store.erasing import Erased
from sidekeep.store.evictions import Evicted


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of the list of chats; `total` counts all that matched. `matches` are those of the page, where there was a query."""

    chats: list[tuple[Chat, ChatSize]]
    total: int
    matches: Mapping[ChatId, Shown]
    archived_matches: int
    evicted: Evicted


class Chats:
    """One store's saved chats."""

    def __init__(self, database: Database, clock: Clock, limits: Limits = NO_LIMITS) -> None:
        self._database = database
        self._writes = Writes(database, clock, limits)

    def page(self, scope: Scope, *, query: str = "", folder: str | None = None, limit: int, offset: int) -> Listed:
        """Chats, latest activity first; where `query` says anything, those it finds, best first."""
        wanted = search_text.parse(query)
        with self._reading(scope) as tx:
            found = finding.find(tx, scope.namespace, wanted, folder)
            page = found.matches[offset : offset + limit]
            return Listed(
                chats=[
                    _sized(chat) for chat in entries.chats_of(tx, scope.namespace, (match.chat_id for match in page))
                ],
                total=len(found.matches),
                matches=finding.shown(tx, page, wanted),
                archived_matches=found.archives,
                evicted=evictions.read(tx, scope.namespace),
            )

    def save(self, scope: Scope, name: str | None) -> tuple[Chat, ChatSize]:
        """A new snapshot of the live conversation, by reference; what is live keeps its own chat. Raises InvalidParams."""
        with self._writing(scope) as write:
            own = entries.live(write.tx, scope)
            stored = transcripts.messages(write.tx, own.session_id) if own is not None else []
            if own is None or not stored:
                raise InvalidParams("There is nothing to save: the conversation is empty.", errors=[])
            rows = transcripts.references(write.tx, own.session_id)
            chat = live.new_chat(write, rows, given_name(name) or live.name_for(stored, write.now_ms))
            return _sized(chat)

    def branch(self, scope: Scope, chat_id: str | None, message_id: str) -> tuple[Chat, ChatSize]:
        """A new chat of the messages up to that one, by reference, from a chat or (None) the live conversation.

        It has the name and the folder of the chat it comes from. Raises NotFound.
        """
        with self._writing(scope) as write:
            own = entries.live(write.tx, scope)
            source = chat_of(write.tx, scope, chat_id) if chat_id is not None else None
            if source is None and own is not None and own.chat_id:
                source = entries.chat(write.tx, scope.namespace, own.chat_id)
            session_id = (
                own.session_id if chat_id is None and own is not None else source.session_id if source else None
            )
            rows = transcripts.references(write.tx, session_id) if session_id else []
            end = next((index for index, (_, found) in enumerate(rows, start=1) if found == message_id), None)
            if end is None:
                raise NotFound("That message is not in the chat (any more).", what="message", id=message_id)
            name = source.name if source is not None else _derived_name(write, rows[:end])
            chat = live.new_chat(write, rows[:end], name, folder=source.folder if source is not None else None)
            return _sized(chat)

    def load(self, scope: Scope, chat_id: str) -> int:
        """Make a saved chat the live conversation; the one before is written back first. Returns its messages' number.

        Raises NotFound.
        """
        with self._writing(scope) as write:
            chat_of(write.tx, scope, chat_id)
            fresh = live.start_over(write)
            chat = chat_of(write.tx, scope, chat_id)  # again: writing back may have changed this very chat
            transcripts.copy(write.tx, chat.session_id, fresh.session_id)
            entries.put_live(write.tx, scope, fresh._replace(chat_id=chat.id, chat_revision=chat.revision))
            return transcripts.count(write.tx, chat.session_id)

    def get(self, scope: Scope, chat_id: str, pixels: Pixels) -> tuple[Chat, ChatSize, list[orjson.Fragment]]:
        """A chat with its messages, rendered. Raises NotFound."""
        with self._reading(scope) as tx:
            chat = chat_of(tx, scope, chat_id)
            stored = transcripts.messages(tx, chat.session_id)
            return chat, chat.measure.size, messages.render(tx, stored, pixels)

    def rename(self, scope: Scope, chat_id: str, name: str) -> tuple[Chat, ChatSize]:
        """Give a chat another name. Raises NotFound, InvalidParams for a name of blanks."""
        title = given_name(name)
        if not title:
            raise InvalidParams.at("name", "a name is not empty")
        with self._writing(scope) as write:
            return self._described(write, chat_of(write.tx, scope, chat_id)._replace(name=title))

    def rename_unless_named(self, scope: Scope, chat_id: str, name: str, *, before: str) -> None:
        """Give a chat another name if it still has that one. Raises NotFound."""
        with self._writing(scope) as write:
            chat = chat_of(write.tx, scope, chat_id)
            if chat.name == before:
                self._described(write, chat._replace(name=name))

    def pin(self, scope: Scope, chat_id: str, *, pinned: bool) -> tuple[Chat, ChatSize]:
        """Pin a chat, or no longer. Raises NotFound."""
        with self._writing(scope) as write:
            return self._described(write, chat_of(write.tx, scope, chat_id)._replace(pinned=pinned))

    def move(self, scope: Scope, chat_id: str, folder: str | None) -> tuple[Chat, ChatSize]:
        """File a chat under a folder, or (None) under none. Raises NotFound for either."""
        with self._writing(scope) as write:
            chat = chat_of(write.tx, scope, chat_id)._replace(folder=folder)
            if folder is not None and folders.find(write.tx, scope.namespace, folder) is None:
                raise NotFound("That folder is not there (any more).", what="folder", id=folder)
            entries.put_chat(write.tx, scope.namespace, chat)
            return _sized(chat)

    def delete(self, scope: Scope, chat_ids: list[str]) -> int:
        """Delete chats; their messages go to the archive. Ids that are gone already are passed over. Returns how many went."""
        with self._writing(scope) as write:
            chats = _present(write, chat_ids)
            for chat in chats:
                removal.remove_chat(write, chat)
            return len(chats)

    def delete_for_good(self, scope: Scope, chat_ids: list[str]) -> tuple[int, Erased]:
        """Delete chats and all that was ever in them. Returns how many went, and what a backup may still hold."""
        erased = Erased()
        with self._writing(scope, erasing=True) as write:
            chats = _present(write, chat_ids)
            for chat in chats:
                erased = erased.plus(removal.erase_chat(write, chat))
            write.close()
            removal.forget_changes(write, [chat.id for chat in chats])
        return len(chats), erased

    def every_id(self, scope: Scope) -> list[str]:
        """The ids of all listed chats."""
        with self._reading(scope) as tx:
            return [chat.id for chat in entries.chats(tx, scope.namespace)]

    def _described(self, write: Write, chat: Chat) -> tuple[Chat, ChatSize]:
        """Write what a chat's entry of the index says of it; its messages are not touched."""
        write.touch(SAVED_SESSIONS)
        session_index.take_over(write)
        entries.put_chat(write.tx, write.scope.namespace, chat)
        return _sized(chat)

    @contextlib.contextmanager
    def _reading(self, scope: Scope) -> Iterator[Transaction]:
        with self._database.reading() as tx:
            is_legacy = session_index.is_legacy(tx, scope)
        if is_legacy:
            with self._writing(scope):
                pass
        with self._database.reading() as tx:
            yield tx

    @contextlib.contextmanager
    def _writing(self, scope: Scope, *, erasing: bool = False) -> Iterator[Write]:
        with self._writes.begin(scope, erasing=erasing) as write:
            session_index.read_session_index(write)
            yield write


def _present(write: Write, chat_ids: list[str]) -> list[Chat]:
    found = (entries.chat(write.tx, write.scope.namespace, chat_id) for chat_id in dict.fromkeys(chat_ids))
    return [chat for chat in found if chat is not None]


def _derived_name(write: Write, rows: live.Rows) -> str:
    return live.name_for(message_rows.by_keys(write.tx, [row for row, _ in rows]), write.now_ms)


def _sized(chat: Chat) -> tuple[Chat, ChatSize]:
    return chat, chat.measure.size


def chat_of(tx: Transaction, scope: Scope, chat_id: str) -> Chat:
    """The chat of that id. Raises NotFound."""
    chat = entries.chat(tx, scope.namespace, chat_id)
    if chat is None:
        raise NotFound("That chat is not in the store (any more).", what="session", id=chat_id)
    return chat
