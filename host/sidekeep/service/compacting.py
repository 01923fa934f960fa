"""Compactions that the model writes itself: asked for, or offered when a chat has filled its window.

Nothing is changed before a whole summary is there (service/checkpoints.py has the one transaction). One try: a summary that is
cut, empty or no shorter than what it stands for is refused, and the chat stays as it was.
"""

import asyncio
from dataclasses import dataclass

import orjson

from sidekeep.domain.compaction import SUMMARY_MEMBER
from sidekeep.domain.message import MessageId, StoredMessage
from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import Conflict, NotFound
from sidekeep.request.build import Request
from sidekeep.request.compaction import INSTRUCTIONS, Plan, plan, request_text
from sidekeep.request.view import Entry, Text, view
from sidekeep.service.asking import ask
from sidekeep.service.checkpoints import Checkpoints, Compacted
from sidekeep.service.providers import Providers
from sidekeep.service.windows import Windows
from sidekeep.store import entries, transcripts
from sidekeep.store.database import Database

_NOTHING = "There is nothing to summarise: the chat is short, or compact already."


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The model that writes, and the window it has."""

    provider: Provider
    window_tokens: int


class Compacting:
    """Asks models for summaries of one store's chats."""

    def __init__(self, database: Database, checkpoints: Checkpoints, providers: Providers, windows: Windows) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._providers = providers
        self._windows = windows
        self._under_way: set[tuple[str, str]] = set()

    async def compact(self, scope: Scope, chat_id: str | None) -> Compacted:
        """Let the active model's summary stand for the older part of a chat; None is the live conversation's.

        What arrives while it is written stands after it. Raises Conflict where there is nothing to summarise, where the chat is
        being summarised already, and for a summary that is none; NotFound; ProviderFailed.
        """
        place = (scope.namespace, chat_id or scope.profile)
        if place in self._under_way:
            raise Conflict("That chat is being summarised already. Wait until it is done.")
        self._under_way.add(place)
        try:
            chosen = await asyncio.to_thread(self._chosen, scope)
            planned = await asyncio.to_thread(self._planned, scope, chat_id, chosen)
            summary = await self._summary(scope, chosen, planned)
            first_kept = MessageId(planned.first_kept) if planned.first_kept is not None else None
            return await asyncio.to_thread(self._checkpoints.compact, scope, chat_id, summary, first_kept=first_kept)
        finally:
            self._under_way.discard(place)

    def _chosen(self, scope: Scope) -> _Chosen:
        provider = self._providers.resolve(scope)
        return _Chosen(provider, self._windows.of(scope, provider).tokens)

    def _planned(self, scope: Scope, chat_id: str | None, chosen: _Chosen) -> Plan:
        stored = self._stored(scope, chat_id)
        summaries = {message.message_id for message in stored if SUMMARY_MEMBER in orjson.loads(message.body)}
        found = plan(view(stored), chosen.window_tokens, summaries)
        if found is None:
            raise Conflict(_NOTHING)
        return found

    def _stored(self, scope: Scope, chat_id: str | None) -> list[StoredMessage]:
        with self._database.reading() as tx:
            own = entries.live(tx, scope)
            if own is not None and (chat_id is None or own.chat_id == chat_id):
                return transcripts.messages(tx, own.session_id)
            if chat_id is None:
                raise Conflict(_NOTHING)
            chat = entries.chat(tx, scope.namespace, chat_id)
            if chat is None:
                raise NotFound("That chat is not in the store (any more).", what="session", id=chat_id)
            return transcripts.messages(tx, chat.session_id)

    async def _summary(self, scope: Scope, chosen: _Chosen, planned: Plan) -> str:
        """The summary of all parts, each asked with the summary of those before it."""
        summary = ""
        for part in planned.parts:
            summary = await self._asked(scope, chosen, planned, request_text(part, summary))
        if len(summary) >= planned.characters:
            raise Conflict("The summary came out no shorter than what it should stand for. Nothing was changed.")
        return summary

    async def _asked(self, scope: Scope, chosen: _Chosen, planned: Plan, text: str) -> str:
        """One whole answer. Raises ProviderFailed, Conflict."""
        request = Request(
            model=chosen.provider.model,
            system=INSTRUCTIONS,
            entries=(Entry("", "user", (Text(text),)),),
            temperature=chosen.provider.temperature,
            max_tokens=planned.answer_tokens,
            window_tokens=chosen.window_tokens,
        )
        answer = await ask(self._providers, scope, chosen.provider, request)
        if answer.capped or not answer.text:
            raise Conflict(
                "The model did not finish the summary. Nothing was changed. Try again, or choose another model."
            )
        return answer.text
