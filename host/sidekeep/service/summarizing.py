"""Long attachments are summarised in the background by the chosen model; storage changes once a whole summary is there.

The parts are asked at the same time, a few at once, each with a time-out. One that fails, is empty or is cut by the output limit
leaves everything as it was. The original stays in the message (domain/shortened.py).
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from sidekeep import logs
from sidekeep.domain import attachment
from sidekeep.domain.area_keys import DEFAULTS
from sidekeep.domain.message import StoredMessage, text_of
from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.domain.shortened import is_shortened, shortened
from sidekeep.errors import SidekeepError
from sidekeep.request import summary
from sidekeep.request.build import Request
from sidekeep.request.view import Entry, Text
from sidekeep.request.windows import Window
from sidekeep.service import bodies, live, messages
from sidekeep.service.asking import ask
from sidekeep.service.clock import Clock
from sidekeep.service.key_values import session_key
from sidekeep.service.limits import NO_LIMITS, Limits
from sidekeep.service.providers import Providers
from sidekeep.service.showing import show, showing
from sidekeep.service.windows import Windows
from sidekeep.service.writing import Write, Writes
from sidekeep.store import area, entries, message_rows, transcripts
from sidekeep.store.database import Database, Transaction

PART_TIMEOUT_S = 90.0
_AT_ONCE = 4
_MOST_ANSWER_TOKENS = 4_000


class _NoSummary(Exception):
    """A part came back empty or cut."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The model that writes, and its window."""

    provider: Provider
    window: Window

    def request(self, text: str) -> Request:
        return Request(
            model=self.provider.model,
            system=summary.INSTRUCTIONS,
            entries=(Entry("", "user", (Text(text),)),),
            temperature=self.provider.temperature,
            max_tokens=min(self.window.tokens // 4, _MOST_ANSWER_TOKENS),
            window_tokens=self.window.tokens,
        )


class Summarizing:
    """One store's attachments that are summarised."""

    def __init__(
        self,
        database: Database,
        providers: Providers,
        windows: Windows,
        clock: Clock,
        limits: Limits = NO_LIMITS,
        *,
        part_timeout_s: float = PART_TIMEOUT_S,
    ) -> None:
        self._database = database
        self._providers = providers
        self._windows = windows
        self._writes = Writes(database, clock, limits)
        self._part_timeout_s = part_timeout_s
        self._running: set[asyncio.Task[bool]] = set()

    def is_wanted(self, scope: Scope, characters: int) -> bool:
        """Whether the person wants an attachment of that length summarised; an agent reads its own way."""
        with self._database.reading() as tx:
            wanted, threshold = _settings(tx, scope)
        if not wanted or characters <= threshold:
            return False
        try:
            return not self._providers.resolve(scope).agent
        except SidekeepError:
            return False

    def start(self, scope: Scope, attach_id: str, written: Callable[[], None]) -> None:
        """Summarise in the background; `written` is called when the summary is in the store."""
        task = asyncio.create_task(self._told(scope, attach_id, written))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def finished(self) -> None:
        """Wait until nothing is being summarised."""
        await asyncio.gather(*self._running)

    async def summarize(self, scope: Scope, attach_id: str) -> bool:
        """Put a summary in an attachment's place. False where it stays as it is: it is gone, was shortened already, or there
        is no whole summary. Raises ProviderFailed, TimeoutError.
        """
        text = await asyncio.to_thread(self._text, scope, attach_id)
        if text is None:
            return False
        body = attachment.body_of(text)
        try:
            found = await self._summary(scope, await asyncio.to_thread(self._chosen, scope), body)
        except _NoSummary:
            return False
        if not summary.is_one(found, body):
            return False
        return await asyncio.to_thread(self._keep, scope, attach_id, text, summary.condensed(text, found))

    async def _told(self, scope: Scope, attach_id: str, written: Callable[[], None]) -> bool:
        try:
            done = await self.summarize(scope, attach_id)
        except (SidekeepError, TimeoutError) as exc:
            logs.warning("an attachment was not summarised: %s", type(exc).__name__)
            return False
        if done:
            written()
        return done

    def _chosen(self, scope: Scope) -> _Chosen:
        provider = self._providers.resolve(scope)
        return _Chosen(provider, self._windows.of(scope, provider))

    async def _summary(self, scope: Scope, chosen: _Chosen, text: str) -> str:
        """One summary of the whole text: of its parts, then of those, until there is one."""
        limit = summary.part_characters(chosen.window.tokens)
        pieces = summary.parts(text, limit)
        asked = [summary.part_request(piece, number, len(pieces)) for number, piece in enumerate(pieces, 1)]
        found = await self._all(scope, chosen, asked)
        while len(found) > 1:
            groups = summary.merge_groups(found, limit)
            found = await self._all(scope, chosen, [summary.merge_request(group) for group in groups])
        return found[0]

    async def _all(self, scope: Scope, chosen: _Chosen, texts: list[str]) -> list[str]:
        """The answers to all, or the first failure, which ends the others. Raises ProviderFailed, TimeoutError, _NoSummary."""
        at_once = asyncio.Semaphore(_AT_ONCE)

        async def one(text: str) -> str:
            async with at_once, asyncio.timeout(self._part_timeout_s):
                answer = await ask(self._providers, scope, chosen.provider, chosen.request(text))
            if answer.capped or not answer.text:
                raise _NoSummary
            return answer.text

        tasks = [asyncio.create_task(one(text)) for text in texts]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _text(self, scope: Scope, attach_id: str) -> str | None:
        """What the attachment says; None where there is none, or less than it said once."""
        with self._database.reading() as tx:
            own = entries.live(tx, scope)
            stored = transcripts.by_attachment(tx, own.session_id, attach_id) if own is not None else None
        return None if stored is None else _whole_text(stored)

    def _keep(self, scope: Scope, attach_id: str, text: str, condensed: str) -> bool:
        """Write the summary where the attachment is by now, in one transaction. False where it is not what was summarised."""
        change = partial(_condensed, text=condensed)
        with self._writes.begin(scope) as write:
            own = entries.live(write.tx, scope)
            stored = transcripts.by_attachment(write.tx, own.session_id, attach_id) if own is not None else None
            if stored is None:
                return _keep_in_chat(write, attach_id, text, change)
            if _whole_text(stored) != text:
                return False
            live.replace(write, stored, messages.changed(write.tx, stored, change))
            return True


def _keep_in_chat(write: Write, attach_id: str, text: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> bool:
    """The same where the person has another conversation open by now: in the chat that the attachment's became."""
    for chat in entries.chats_with_attachment(write.tx, write.scope.namespace, attach_id)[:1]:
        stored = transcripts.by_attachment(write.tx, chat.session_id, attach_id)
        if stored is not None and _whole_text(stored) == text:
            write.touch(session_key(chat.id))
            shown = showing(write, chat)
            transcripts.replace(write.tx, chat.session_id, stored, messages.changed(write.tx, stored, change))
            show(write, shown, bodies.changed(write, chat))
            message_rows.give_up(write.tx, (stored.message_pk,), write.now_ms)
            return True
    return False


def _condensed(message: dict[str, Any], text: str) -> dict[str, Any]:
    """The message with a summary as its text; its pictures follow, and are shown at their anchors."""
    content = message.get("content")
    pictures = [part for part in content if part.get("type") == "image_url"] if isinstance(content, list) else []
    return shortened(message, [{"type": "text", "text": text}, *pictures] if pictures else text, "summarized")


def _whole_text(stored: StoredMessage) -> str | None:
    message = orjson.loads(stored.body)
    return None if is_shortened(message) else text_of(message.get("content"))


def _settings(tx: Transaction, scope: Scope) -> tuple[bool, int]:
    """Whether attachments are summarised at all, and from how many characters on."""
    keys = ("autoSummarizeAttachments", "summarizeThresholdChars")
    found = area.get(tx, scope, keys)
    wanted, threshold = (orjson.loads(found[key]) if key in found else DEFAULTS[key] for key in keys)
    given = isinstance(threshold, int) and not isinstance(threshold, bool) and threshold > 0
    return wanted is True, threshold if given else summary.THRESHOLD_CHARACTERS
