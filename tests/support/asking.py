"""Turns over a real store with a scripted model, whose waits are noted and not waited for."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.support.listening import END_S, Listener, messages_sent
from tests.support.stores import OWN, SERVER, live_messages, ticking_clock

from sidekeep.llm.scripted import Reply, ScriptedClient, delta, event, refuses, says
from sidekeep.service.answering import Answering
from sidekeep.service.automatic_compaction import AutomaticCompaction
from sidekeep.service.learning import Learning
from sidekeep.service.partial_answers import PartialAnswers
from sidekeep.service.refusals import Refusals
from sidekeep.service.requests import Requests
from sidekeep.service.running import TurnDone, TurnEvent, TurnFailed, TurnStatus
from sidekeep.service.services import Services
from sidekeep.service.titling import Titling
from sidekeep.service.turn import Turns
from sidekeep.service.turn_store import Question, TurnStore
from sidekeep.store.locks import NamedLocks

TOO_LONG = refuses(400, "Your input exceeds the context window of this model.", code="context_length_exceeded")


def too_long(limit: int, requested: int) -> Reply:
    """A refusal that states its numbers."""
    return refuses(400, f"prompt is too long: {requested} tokens > {limit} maximum")


def begins_then_overflows(*texts: str) -> Reply:
    """Some text, then an error event in the stream."""
    error = event({"error": {"message": "Your input exceeds the context window of this model."}})
    return Reply((*map(delta, texts), error))


def capped(*texts: str) -> Reply:
    """An answer that its allowance of tokens cut."""
    return says(*texts, reason="length")


@dataclass
class Asking:
    """What is asked of a store's turns in a test, and what they told."""

    services: Services
    client: ScriptedClient = field(default_factory=ScriptedClient)
    compacts: bool = False
    titles: bool = False
    end_s: float = END_S
    waits: list[float] = field(default_factory=list)
    events: list[TurnEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        store = TurnStore(self.services.database, ticking_clock())
        refusals = Refusals(self.services.database)
        learning = Learning(self.services.windows, refusals, self.services.calibrations)
        answering = Answering(self.services.providers, Requests(store), learning, pause=self._pause, chance=lambda: 1.0)
        self.automatic = AutomaticCompaction(lambda: self.services.compacting, lambda: self.compacts)
        locks = NamedLocks(None)
        partials = PartialAnswers(self.services.database, store, locks)
        of = self.services
        self.titling = Titling(of.database, lambda: of.chats, of.providers, of.windows, lambda: self.titles)
        self.turns = Turns(
            store, of.providers, answering, self.automatic, self.titling, partials, locks, ticking_clock()
        )

    async def _pause(self, seconds: float) -> None:
        self.waits.append(seconds)

    def knows(self, **provider: Any) -> None:
        """Give the provider further members: a window, an allowance."""
        self.services.area.set(OWN, {"providers": {"test": {**SERVER, **provider}}})

    def has(self, history: Iterable[dict[str, Any]]) -> None:
        """Let the conversation begin with these messages."""
        for message in history:
            self.services.conversation.append(OWN, message)

    async def ask(self, text: str | None, *replies: Reply, replaces: str | None = None) -> TurnDone | TurnFailed:
        """Ask, with the model's answers in order; returns how it ended."""
        self.client.replies += replies
        listener = Listener(self.events, end_s=self.end_s)
        await self.turns.send(OWN, Question(text, None, replaces), listener)
        return await listener.end()

    async def background(self) -> None:
        """Wait for a compaction or a title that nobody asked for."""
        if tasks := self.automatic._tasks | self.titling._tasks:
            async with asyncio.timeout(self.end_s):
                await asyncio.wait(tasks)

    @property
    def statuses(self) -> list[TurnStatus]:
        return [told for told in self.events if isinstance(told, TurnStatus)]

    def sent(self, number: int = -1) -> list[dict[str, Any]]:
        """The messages of a request that left."""
        return messages_sent(self.client, number)

    def sent_text(self, number: int = -1) -> str:
        return "\n".join(str(message["content"]) for message in self.sent(number))

    def images_sent(self, number: int = -1) -> int:
        """How many pictures a request that left carries."""
        return self.client.requests[number].body.count(b'"image_url":{')

    def stored(self) -> list[dict[str, Any]]:
        return live_messages(self.services)
