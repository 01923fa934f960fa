"""Sending a turn: the question is committed, the request leaves, the answer streams back and is kept, whole or broken."""

import asyncio
import contextlib
import uuid
from typing import Any

import orjson

from sidekeep import logs
from sidekeep.domain.message import SAW_MEMBER
from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import Conflict, NotFound, SidekeepError
from sidekeep.llm.types import UsageReport
from sidekeep.request.build import Report
from sidekeep.request.prices import Cost
from sidekeep.service.answering import Answering
from sidekeep.service.automatic_compaction import AutomaticCompaction
from sidekeep.service.clock import Clock
from sidekeep.service.partial_answers import PartialAnswers
from sidekeep.service.providers import Providers
from sidekeep.service.requests import Prepared
from sidekeep.service.running import Emit, RunningTurn, TurnDone, TurnEvent, TurnFailed, TurnStarted
from sidekeep.service.titling import Titling
from sidekeep.service.turn_store import Asked, Left, Question, TurnStore
from sidekeep.store.locks import HeldLock, NamedLocks


class Turns:
    """The turns of one host process, over one store."""

    def __init__(
        self,
        store: TurnStore,
        providers: Providers,
        answering: Answering,
        automatic: AutomaticCompaction,
        titling: Titling,
        partials: PartialAnswers,
        locks: NamedLocks,
        clock: Clock,
    ) -> None:
        self._store = store
        self._providers = providers
        self._answering = answering
        self._automatic = automatic
        self._titling = titling
        self._partials = partials
        self._locks = locks
        self._clock = clock
        self._running: dict[str, RunningTurn] = {}

    async def send(
        self, scope: Scope, question: Question, emit: Emit, *, provider: str | None = None, model: str | None = None
    ) -> str:
        """Commit the question and start asking; returns the turn's id when the question is in the store.

        Cancelled before that, it stores nothing, or stops the turn that had begun. Raises NotFound, InvalidParams, Conflict while
        a turn runs on that conversation, RequestRefused for a question that fits in no request (it is taken back), StoreFailed.
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
        asked, locks = await asyncio.to_thread(self.commit, scope, question)
        try:
            await self._answering.ask_for_window(scope, asked, chosen)
            first = await asyncio.to_thread(self._answering.first, scope, asked, chosen)
        except SidekeepError:
            try:  # nothing has left, and whoever asked still has the question: sent again it must not stand there twice
                await asyncio.to_thread(self._store.take_back, scope, asked)
            finally:
                release(locks)
            raise
        except BaseException:
            release(locks)
            raise
        turn = RunningTurn(str(uuid.uuid4()), scope, chosen, asked, self._clock(), locks, emit)
        self._running[turn.turn] = turn
        emit(TurnStarted(turn.turn, asked.shown, first.report))
        turn.task = asyncio.create_task(self._run(turn, first, question.replaces))
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
        self._automatic.stop()
        self._titling.stop()
        tasks = [turn.task for turn in self._running.values() if turn.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def commit(self, scope: Scope, question: Question) -> tuple[Asked, list[HeldLock]]:
        """Commit the question under the lock of the conversation that it joins: another host may open another one meanwhile.

        Returns what was asked and the locks, to be released when the answer is there. Raises Conflict, InvalidParams, NotFound.
        """
        while True:
            session_id, chat_id = place = self._store.place(scope)
            lock = self._locks.try_lock(f"{scope.namespace}/{chat_id or session_id}")
            if lock is None:
                raise Conflict(
                    "An answer to this conversation is already being written. Wait for it, or stop it first."
                )
            try:
                self._partials.finish_at(place)
                asked = self._store.ask(scope, question, place)
            except BaseException:
                lock.release()
                raise
            if asked is not None:
                made = self._locks.try_lock(f"{scope.namespace}/{asked.chat_id}") if asked.chat_id else None
                return asked, [lock] if made is None else [lock, made]  # the chat that this very question made
            lock.release()

    async def _run(self, turn: RunningTurn, first: Prepared, replaces: str | None) -> None:
        error: SidekeepError | None = None
        stopped = False
        written_down = asyncio.create_task(self._partials.follow(turn, _answer(turn, interrupted=True)))
        try:
            await self._answering.answer(turn, first, replaces=replaces)
        except asyncio.CancelledError:
            stopped = True
        except SidekeepError as exc:
            error = exc
        except Exception as exc:
            error = _unexpected(exc)
        turn.is_over = True
        written_down.cancel()
        turn.emit(await self._finish(turn, error, stopped=stopped))
        if error is None and not stopped and turn.report is not None:
            self._automatic.answered(turn.scope, turn.asked.chat_id, turn.report)
            self._titling.answered(turn.scope, turn.asked.chat_id, turn.provider)

    async def _finish(self, turn: RunningTurn, error: SidekeepError | None, *, stopped: bool) -> TurnEvent:
        try:
            if error is None:
                kept = await self._keep(turn, interrupted=stopped)
                return TurnDone(turn.turn, kept, turn.usage, turn.cost, rescued=turn.rescued)
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
            release(turn.locks)

    async def _keep(self, turn: RunningTurn, *, interrupted: bool) -> orjson.Fragment:
        """Write the answer, however often the turn is cancelled while it is being written."""
        answer = _answer(turn, interrupted=interrupted)
        left = Left(None, {}) if interrupted else _left(turn)
        write = asyncio.create_task(asyncio.to_thread(self._written, turn, answer, left))
        while not write.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([write])
        return write.result()

    def _written(self, turn: RunningTurn, answer: dict[str, Any], left: Left) -> orjson.Fragment:
        kept = self._store.answer(turn.scope, turn.asked.place, answer, left)
        self._answering.learn(turn, answer["id"])
        return kept


def _unexpected(exc: Exception) -> SidekeepError:
    return SidekeepError("Something unexpected happened; the host's log has it.", log=logs.unexpected("turn", exc))


def _answer(turn: RunningTurn, *, interrupted: bool) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": turn.answer_id,
        "role": "assistant",
        "content": turn.text,
        "provider": turn.provider.name,
        "model": turn.provider.model,
    }
    if turn.report is not None:
        message["report"] = report_fields(turn.report)
    if turn.usage is not None:
        message["usage"] = usage_fields(turn.usage, turn.cost)
    if interrupted:
        message["interrupted"] = True
    elif seen := _seen(turn):
        message[SAW_MEMBER] = seen
    if turn.rescued:
        message["rescued"] = True
    if turn.read_in_part:
        message["readInPart"] = True
    return message


def _left(turn: RunningTurn) -> Left:
    """What a turn that succeeded leaves to the conversation beside its answer."""
    cut = turn.answered[0].attempt.report.cut if turn.answered else None
    return Left(cut, {name: entry.text for name, entry in turn.shortened.items()})


def _seen(turn: RunningTurn) -> list[str]:
    """The messages whose pictures the answer was given, all of them, as pixels."""
    shown = turn.answered[0].attempt.request.entries if turn.answered else ()
    return [entry.message_id for entry in shown if entry.images and not entry.labels]


def usage_fields(usage: UsageReport, cost: Cost | None) -> dict[str, Any]:
    """USAGE as the wire and the store have it."""
    fields: dict[str, Any] = {
        "promptTokens": usage.prompt_tokens,
        "completionTokens": usage.completion_tokens,
        "cachedTokens": usage.cached_tokens,
        "reasoningTokens": usage.reasoning_tokens,
        "cost": cost and {"amount": cost.amount, "currency": cost.currency, "asOf": cost.as_of},
    }
    return {name: count for name, count in fields.items() if count is not None}


def report_fields(report: Report) -> dict[str, Any]:
    """REPORT as the wire and the store have it."""
    cut = {} if report.cut.start is None else {"cut": report.cut.start}
    return {
        "imagesLabelled": report.images_labelled,
        "imagesSent": report.images_sent,
        "attachmentsAged": report.attachments_aged,
        "attachmentsTrimmed": report.attachments_trimmed,
        "messagesDropped": report.messages_dropped,
        "charsDropped": report.chars_dropped,
        "estimatedTokens": report.estimated_tokens,
        **cut,
        "windowTokens": report.window_tokens,
        "windowSource": report.window_source,
        "bytes": report.bytes,
    }


def release(locks: list[HeldLock]) -> None:
    """Let a conversation's locks go; once is enough."""
    for lock in locks:
        lock.release()
    locks.clear()
