"""Titles that a model gives chats: only where the person has switched them on (`title.automatic`), after a chat's first answer.

A chat that has another name than the one made from its first question was named by somebody, and keeps its name. Temporary chats
and private windows get none. What fails leaves the name as it is, and nobody is told.
"""

import asyncio
from collections.abc import Callable

import orjson

from sidekeep import logs
from sidekeep.domain.chat import Chat, ChatId
from sidekeep.domain.message import StoredMessage, text_of
from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import SidekeepError
from sidekeep.request import title
from sidekeep.request.build import Request
from sidekeep.request.view import Entry, Text
from sidekeep.service import live
from sidekeep.service.asking import ask
from sidekeep.service.chats import Chats
from sidekeep.service.providers import Providers
from sidekeep.service.windows import Windows
from sidekeep.store import entries, transcripts
from sidekeep.store.database import Database

TIMEOUT_S = 60.0


class Titling:
    """Names the chats of one store in the background. Belongs to one event loop."""

    def __init__(
        self,
        database: Database,
        chats: Callable[[], Chats],
        providers: Providers,
        windows: Windows,
        is_on: Callable[[], bool],
    ) -> None:
        self._database = database
        self._chats = chats
        self._providers = providers
        self._windows = windows
        self._is_on = is_on
        self._tasks: set[asyncio.Task[None]] = set()

    def answered(self, scope: Scope, chat_id: ChatId, provider: Provider) -> None:
        """An answer of that provider was written into that chat."""
        if not chat_id or self._database.path is None or provider.agent or not self._is_on():
            return
        task = asyncio.create_task(self._name(scope, chat_id, provider))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Give up what is under way: nothing was changed yet."""
        for task in self._tasks:
            task.cancel()

    async def _name(self, scope: Scope, chat_id: ChatId, provider: Provider) -> None:
        try:
            found = await asyncio.to_thread(self._unnamed, scope, chat_id)
            if found is None:
                return
            name, text = found
            window = await asyncio.to_thread(self._windows.of, scope, provider)
            async with asyncio.timeout(TIMEOUT_S):
                answer = await ask(self._providers, scope, provider, _request(provider, window.tokens, text))
            given = "" if answer.capped else title.title_of(answer.text)
            if given:
                await asyncio.to_thread(self._chats().rename_unless_named, scope, chat_id, given, before=name)
        except (SidekeepError, TimeoutError) as failure:
            logs.info("a chat got no title: %s", type(failure).__name__)
        except Exception as exc:
            logs.unexpected("title", exc)

    def _unnamed(self, scope: Scope, chat_id: ChatId) -> tuple[str, str] | None:
        """The name that a chat got from its question, and what to ask for a better one; None where it is to keep its name."""
        with self._database.reading() as tx:
            chat = entries.chat(tx, scope.namespace, chat_id)
            stored = transcripts.messages(tx, chat.session_id) if chat is not None else []
        return None if chat is None else _asked(chat, stored)


def _asked(chat: Chat, stored: list[StoredMessage]) -> tuple[str, str] | None:
    texts = {role: [_text(message) for message in stored if message.role == role] for role in ("user", "assistant")}
    if len(texts["assistant"]) != 1 or chat.name != live.name_for(stored, chat.created_at_ms):
        return None
    return chat.name, title.request_text(texts["user"][-1] if texts["user"] else "", texts["assistant"][0])


def _text(message: StoredMessage) -> str:
    return text_of(orjson.loads(message.body).get("content"))


def _request(provider: Provider, window_tokens: int, text: str) -> Request:
    return Request(
        model=provider.model,
        system=title.INSTRUCTIONS,
        entries=(Entry("", "user", (Text(text),)),),
        temperature=provider.temperature,
        max_tokens=title.ANSWER_TOKENS,
        window_tokens=window_tokens,
    )
