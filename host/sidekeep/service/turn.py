"""Sending a turn: the question is committed, the request leaves, the answer streams back and is kept, whole or broken."""

import asyncio
import contextlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from sidekeep import logs
from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import Conflict, NotFound, SidekeepError
from sidekeep.llm.types import Finished, ReasoningDelta, TextDelta, UsageReport
from sidekeep.request import build as request_side
from sidekeep.request.build import Conversation, Report, Request, Turn
from sidekeep.request.dialect.table import WRITERS
from sidekeep.service.clock import Clock
from sidekeep.service.providers import Providers
from sidekeep.service.turn_store import Asked, Question, TurnStore
from sidekeep.store.locks import HeldLock, NamedLocks


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The question is in the store."""

    turn: str
    user: orjson.Fragment
    report: Report
    body_bytes: int


@dataclass(frozen=True, slots=True)
class TurnDelta:
    """A piece of the answer, or of the model's reasoning; `offset` in code points from its beginning."""

    turn: str
    offset: int
    text: str
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class TurnDone:
    """The answer is in the store."""

    turn: str
    message: orjson.Fragment
    usage: UsageReport | None


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """There is no whole answer. What had come of it is in the store, marked interrupted: `message`."""

    turn: str
    error: SidekeepError
    message: orjson.Fragment | None


TurnEvent = TurnStarted | TurnDelta | TurnDone | TurnFailed
Emit = Callable[[TurnEvent], None]


class GrowingText:
    """A text that comes in pieces. `+=` on a string copies all of it each time: 15 MB in small pieces took a minute, and no
    other turn was served meanwhile."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._chars = 0

    def add(self, piece: str) -> int:
        """Append; returns the offset at which the piece stands, in code points."""
        offset = self._chars
        self._pieces.append(piece)
        self._chars += len(piece)
        return offset

    def __str__(self) -> str:
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


@dataclass(slots=True)
class RunningTurn:
    """A turn under way, as `turn.peek` tells of it."""

    turn: str
    scope: Scope
    provider: Provider
    asked: Asked
    started_at_ms: int
    locks: list[HeldLock]
    emit: Emit
    answer: GrowingText = field(default_factory=GrowingText, repr=False)
    thoughts: GrowingText = field(default_factory=GrowingText, repr=False)
    usage: UsageReport | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The answer so far."""
        return str(self.answer)

    @property
    def reasoning(self) -> str:
        """The model's reasoning so far."""
        return str(self.thoughts)


class Turns:
    """The turns of one host process, over one store."""

    def __init__(self, store: TurnStore, providers: Providers, locks: NamedLocks, clock: Clock) -> None:
        self._store = store
        self._providers = providers
        self._locks = locks
        self._clock = clock
        self._running: dict[str, RunningTurn] = {}

    async def send(
        self, scope: Scope, question: Question, emit: Emit, *, provider: str | None = None, model: str | None = None
    ) -> str:
        """Commit the question and start asking; returns the turn's id when the question is in the store.

        Cancelled before that, it stores nothing, or stops the turn that had begun. Raises NotFound, InvalidParams, Conflict while
        a turn runs on that conversation, StoreFailed.
        """
        chosen = await asyncio.to_thread(self._providers.resolve, scope, provider, model)
        begun = asyncio.create_task(self._begin(scope, question, emit, chosen))
        try:
            return await asyncio.shield(begun)
        except asyncio.CancelledError:
            # A thread cannot be stopped: the lock that one takes, or the question that it writes, needs a turn to end it.
            with contextlib.suppress(SidekeepError):
                await self.cancel(await begun)
            raise

    async def _begin(self, scope: Scope, question: Question, emit: Emit, chosen: Provider) -> str:
        asked, locks = await asyncio.to_thread(self._ask, scope, question)
        try:
            if asked.chat_id and (lock := self._locks.try_lock(f"{scope.namespace}/{asked.chat_id}")) is not None:
                locks.append(lock)  # the chat that this very question made
            request, report = request_side.build(Conversation(asked.conversation), Turn(), chosen, asked.settings)
            body = await asyncio.to_thread(self._body, request, chosen.kind)
        except BaseException:
            _release(locks)
            raise
        turn = RunningTurn(str(uuid.uuid4()), scope, chosen, asked, self._clock(), locks, emit)
        self._running[turn.turn] = turn
        emit(TurnStarted(turn.turn, asked.shown, report, len(body)))
        turn.task = asyncio.create_task(self._run(turn, body))
        return turn.turn

    async def cancel(self, turn_id: str) -> None:
        """Stop a turn; what has come is kept, marked interrupted, before this returns. Raises NotFound."""
        turn = self._running.get(turn_id)
        if turn is None or turn.task is None:
            raise NotFound("That turn is not running (any more).", what="turn", id=turn_id)
        turn.task.cancel()
        await asyncio.wait([turn.task])

    def is_running(self, turn_id: str) -> bool:
        return turn_id in self._running

    def running(self, scope: Scope) -> list[RunningTurn]:
        """The turns under way in that namespace."""
        return [turn for turn in self._running.values() if turn.scope.namespace == scope.namespace]

    @property
    def any_running(self) -> bool:
        return bool(self._running)

    async def stop_all(self) -> None:
        """Stop every turn and keep what has come: the connection is ending."""
        tasks = [turn.task for turn in self._running.values() if turn.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _ask(self, scope: Scope, question: Question) -> tuple[Asked, list[HeldLock]]:
        """Commit the question under the lock of the conversation that it joins: another host may open another one meanwhile."""
        while True:
            session_id, chat_id = place = self._store.place(scope)
            lock = self._locks.try_lock(f"{scope.namespace}/{chat_id or session_id}")
            if lock is None:
                raise Conflict(
                    "An answer to this conversation is already being written. Wait for it, or stop it first."
                )
            try:
                asked = self._store.ask(scope, question, place)
            except BaseException:
                lock.release()
                raise
            if asked is not None:
                return asked, [lock]
            lock.release()

    def _body(self, request: Request, kind: str) -> bytes:
        return WRITERS[kind](request, self._store.data_urls(request.pictures))

    async def _run(self, turn: RunningTurn, body: bytes) -> None:
        error: SidekeepError | None = None
        stopped = False
        try:
            await self._stream(turn, body)
        except asyncio.CancelledError:
            stopped = True
        except SidekeepError as exc:
            error = exc
        except Exception as exc:
            error = _unexpected(exc)
        turn.emit(await self._finish(turn, error, stopped=stopped))

    async def _finish(self, turn: RunningTurn, error: SidekeepError | None, *, stopped: bool) -> TurnEvent:
        try:
            if error is None:
                return TurnDone(turn.turn, await self._keep(turn, interrupted=stopped), turn.usage)
            if turn.text:
                return TurnFailed(turn.turn, error, await self._keep(turn, interrupted=True))
            if turn.asked.replaced is not None:
                await asyncio.to_thread(self._store.take_back, turn.scope, turn.asked)
            return TurnFailed(turn.turn, error, None)
        except SidekeepError as exc:  # the answer could not be written; the panel still shows it
            return TurnFailed(turn.turn, exc, None)
        except Exception as exc:  # whatever it is, the panel must not wait for an end that never comes
            return TurnFailed(turn.turn, _unexpected(exc), None)
        finally:
            self._running.pop(turn.turn, None)
            _release(turn.locks)

    async def _stream(self, turn: RunningTurn, body: bytes) -> None:
        endpoint = await self._providers.endpoint(turn.scope, turn.provider)
        client = self._providers.client()
        async with contextlib.aclosing(client.stream(endpoint, body)) as events:
            async for event in events:
                self._take(turn, event)

    def _take(self, turn: RunningTurn, event: TextDelta | ReasoningDelta | UsageReport | Finished) -> None:
        if isinstance(event, TextDelta):
            turn.emit(TurnDelta(turn.turn, turn.answer.add(event.text), event.text))
        elif isinstance(event, ReasoningDelta):
            turn.emit(TurnDelta(turn.turn, turn.thoughts.add(event.text), event.text, reasoning=True))
        elif isinstance(event, UsageReport):
            turn.usage = event

    async def _keep(self, turn: RunningTurn, *, interrupted: bool) -> orjson.Fragment:
        """Write the answer, however often the turn is cancelled while it is being written."""
        answer = _answer(turn, interrupted=interrupted)
        write = asyncio.create_task(asyncio.to_thread(self._store.answer, turn.scope, turn.asked, answer))
        while not write.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([write])
        return write.result()


def _unexpected(exc: Exception) -> SidekeepError:
    return SidekeepError("Something unexpected happened; the host's log has it.", log=logs.unexpected("turn", exc))


def _answer(turn: RunningTurn, *, interrupted: bool) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": turn.text,
        "provider": turn.provider.name,
        "model": turn.provider.model,
    }
    if turn.usage is not None:
        message["usage"] = usage_fields(turn.usage)
    if interrupted:
        message["interrupted"] = True
    return message


def usage_fields(usage: UsageReport) -> dict[str, int]:
    """USAGE as the wire and the store have it."""
    fields = {
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "cachedTokens": usage.cached_tokens,
        "reasoningTokens": usage.reasoning_tokens,
    }
    return {name: count for name, count in fields.items() if count is not None}


def _release(locks: list[HeldLock]) -> None:
    for lock in locks:
        lock.release()
    locks.clear()
