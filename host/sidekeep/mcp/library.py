"""What other programs are shown: saved chats, without the archive and without the folders that a person has excluded."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import orjson

from sidekeep.domain.chat import Chat, ChatSize
from sidekeep.domain.message import text_of
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.errors import NotFound
from sidekeep.service.services import Services

_EVERY_CHAT = 1_000_000


class Library:
    """Read-only, and nothing of pictures but that they are there.

    The store is opened for each question: a server that runs for days must not keep it from being moved or put right.
    """

    def __init__(self, open_services: Callable[[], AbstractContextManager[Services]]) -> None:
        self._open = open_services
        self._scope = Scope(SIDEKEEP)

    def search(self, query: str, limit: int) -> list[dict[str, Any]]:
        """Chats whose name or text has what `query` says, best first."""
        with self._open() as services:
            listed = services.chats.page(self._scope, query=query, limit=_EVERY_CHAT, offset=0)
            shown = self._shown(services, listed.chats)[:limit]
        found = []
        for chat, size in shown:
            match = listed.matches.get(chat.id)
            found.append(
                _summary(chat, size) | ({"snippet": match.snippet} if match is not None and match.snippet else {})
            )
        return found

    def recent(self, limit: int, offset: int) -> list[dict[str, Any]]:
        """Chats, latest activity first."""
        with self._open() as services:
            listed = services.chats.page(self._scope, limit=_EVERY_CHAT, offset=0)
            shown = self._shown(services, listed.chats)
        return [_summary(chat, size) for chat, size in shown[offset : offset + limit]]

    def read(self, chat_id: str, limit: int, offset: int) -> dict[str, Any]:
        """A chat's messages as text. Raises NotFound, also for a chat that is not shown."""
        with self._open() as services:
            chat, size, messages = services.chats.get(self._scope, chat_id, "none")
            if not self._shown(services, [(chat, size)]):
                raise NotFound("That chat is not in the store (any more).", what="session", id=chat_id)
        page = messages[offset : offset + limit]
        return _summary(chat, size) | {"messages": [_message(orjson.loads(orjson.dumps(each))) for each in page]}

    def _shown(self, services: Services, chats: Sequence[tuple[Chat, ChatSize]]) -> list[tuple[Chat, ChatSize]]:
        excluded = {folder.id for folder in services.folders.all(self._scope) if folder.excluded}
        return [(chat, size) for chat, size in chats if chat.listed and chat.folder not in excluded]


def _summary(chat: Chat, size: ChatSize) -> dict[str, Any]:
    return {
        "id": chat.id,
        "name": chat.name,
        "createdAt": chat.created_at_ms,
        "updatedAt": chat.updated_at_ms,
        "messageCount": size.messages,
    }


def _message(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    pictures = sum(part.get("type") == "image_url" for part in content) if isinstance(content, list) else 0
    told = {"role": message["role"], "createdAt": message["createdAt"], "text": text_of(content)}
    return told | ({"pictures": pictures} if pictures else {})
