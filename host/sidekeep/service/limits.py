"""The limits that hold now, and which chats they must leave alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sidekeep.settings.model import Settings

if TYPE_CHECKING:
    from sidekeep.domain.chat import ChatId


class Limits:
    """Of folders, of chats, of messages a chat (0 is none), of a request's bytes. They may change from one write to the next."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        is_running: Callable[[str, ChatId], bool] = lambda _namespace, _chat: False,
    ) -> None:
        self._settings = settings
        self._is_running = is_running

    @property
    def folders(self) -> int:
        return self._settings().limit_folders

    @property
    def chats(self) -> int:
        return self._settings().limit_chats

    @property
    def messages(self) -> int:
        return self._settings().limit_messages

    @property
    def request_bytes(self) -> int:
        return self._settings().max_request_bytes

    def is_running(self, namespace: str, chat_id: ChatId) -> bool:
        """Whether an answer to that chat is being written, in whichever process."""
        return self._is_running(namespace, chat_id)


NO_LIMITS = Limits(lambda: Settings(limit_folders=0, limit_chats=0, limit_messages=0))
