"""A question put to the services, and what its turn tells whoever asked."""

import asyncio
from typing import Any

import orjson
from tests.support.stores import OWN

from sidekeep.domain.scope import Scope
from sidekeep.llm.scripted import Gate, Reply, ScriptedClient, delta, says
from sidekeep.service.running import TurnDone, TurnEvent, TurnFailed
from sidekeep.service.services import Services
from sidekeep.service.turn_store import Question

END_S = 60


class Listener:
    """What turns tell: all of it in `events`, which may be a list that others fill too."""

    def __init__(self, events: list[TurnEvent] | None = None, *, end_s: float = END_S) -> None:
        self.events = events if events is not None else []
        self._end_s = end_s
        self._ended = asyncio.Event()

    def __call__(self, event: TurnEvent) -> None:
        self.events.append(event)
        if isinstance(event, (TurnDone, TurnFailed)):
            self._ended.set()

    async def end(self) -> TurnDone | TurnFailed:
        """The last event, when it has come."""
        async with asyncio.timeout(self._end_s):
            await self._ended.wait()
        last = self.events[-1]
        assert isinstance(last, (TurnDone, TurnFailed))
        return last


async def ask(
    services: Services,
    text: str | None,
    *,
    images: tuple[str, ...] | None = None,
    replaces: str | None = None,
    scope: Scope = OWN,
) -> tuple[str, Listener]:
    """Ask; the turn's id, and who hears of it."""
    listener = Listener()
    turn = await services.turns.send(scope, Question(text, images, replaces), listener)
    return turn, listener


async def answered(services: Services, text: str | None, **how: Any) -> TurnDone | TurnFailed:
    """Ask, and wait until the turn has ended."""
    _, listener = await ask(services, text, **how)
    return await listener.end()


async def reached(gate: Gate) -> None:
    """Wait until the answer stands at the gate."""
    async with asyncio.timeout(END_S):
        await gate.reached.wait()


def held(*texts: str) -> tuple[Gate, Reply]:
    """An answer that waits after its first text."""
    gate = Gate()
    return gate, Reply((delta(texts[0]), gate, *says(*texts[1:]).pieces))


def messages_sent(client: ScriptedClient, number: int = -1) -> list[dict[str, Any]]:
    """The messages of a request that left."""
    found: list[dict[str, Any]] = orjson.loads(client.requests[number].body)["messages"]
    return found
