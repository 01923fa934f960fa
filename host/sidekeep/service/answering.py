"""The requests of one turn: the first, retries of it, at most one rescue, at most one continuation.

Nothing is sent again once the person has seen text of the answer: the partial answer is kept, and who asks for the same
question again gets the rescued request. A rescue is no retry and a retry no rescue: one overflow costs two requests.
"""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable

from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import ProviderFailed, RequestRefused, SidekeepError
from sidekeep.llm.types import Finished, ReasoningDelta, TextDelta, UsageReport
from sidekeep.request.build import Conversation
from sidekeep.request.calibration import Answer, Counted
from sidekeep.request.continuation import Joint
from sidekeep.request.overflow import Verdict, check_usage
from sidekeep.request.rescue import Rescued
from sidekeep.request.tokens import MESSAGE_FRAME, estimate
from sidekeep.request.windows import DEFAULT_WINDOW_TOKENS
from sidekeep.service.learning import Learning
from sidekeep.service.providers import Providers
from sidekeep.service.requests import Prepared, Requests
from sidekeep.service.retrying import MAX_RETRIES, wait_s
from sidekeep.service.running import Answered, RunningTurn
from sidekeep.service.turn_store import Asked
from sidekeep.service.verdicts import judged
from sidekeep.service.windows import key_of
from sidekeep.store.model_facts import ModelKey

# A list of models comes at once or is not worth waiting for: the error that the guess leads to tells the window, too.
ASK_FOR_WINDOW_S = 3

Pause = Callable[[float], Awaitable[None]]


class Answering:
    """Asks models over one store. `pause` waits before a retry, `chance` gives 0..1 (retrying.wait_s)."""

    def __init__(
        self,
        providers: Providers,
        requests: Requests,
        learning: Learning,
        *,
        pause: Pause = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._providers = providers
        self._requests = requests
        self._learning = learning
        self._pause = pause
        self._chance = chance
        # By the question's id: its answer had begun when its request turned out too large.
        self._broken_off: dict[str, Verdict] = {}
        self._asked_for_window: set[ModelKey] = set()

    async def ask_for_window(self, scope: Scope, asked: Asked, provider: Provider) -> None:
        """Let the server tell its window, where nobody has and the conversation may not fit the guess. Once for each model."""
        if sum(entry.characters for entry in asked.conversation) <= DEFAULT_WINDOW_TOKENS:
            return  # it fits, in whatever script
        key = key_of(scope, provider)
        if key in self._asked_for_window or await asyncio.to_thread(self._learning.knows_window, scope, provider):
            return
        self._asked_for_window.add(key)
        with contextlib.suppress(SidekeepError, TimeoutError):
            async with asyncio.timeout(ASK_FOR_WINDOW_S):
                await self._providers.models(scope, provider.name)

    def first(self, scope: Scope, asked: Asked, provider: Provider) -> Prepared:
        """The request of a question, with what is known of the model. It reads pictures. Raises RequestRefused."""
        known = self._learning.known(scope, provider, asked.session_id)
        return self._requests.first(Conversation(asked.conversation, asked.cut), known, provider, asked.settings)

    async def answer(self, turn: RunningTurn, first: Prepared, *, replaces: str | None = None) -> None:
        """Ask until there is an answer; what comes goes into `turn`. Raises ProviderFailed.

        `replaces` is the question that is asked again: where its answer broke off because the request was too large, the
        first request is the rescued one.
        """
        verdict = self._broken_off.pop(replaces, None) if replaces is not None else None
        # With a window that the error taught the first request fits already.
        if verdict is not None and first.report.estimated_tokens > (verdict.limit_tokens or 0):
            with contextlib.suppress(RequestRefused):
                first = await self._rescued(turn, first, verdict) or first
        answered, finished = await self._answered(turn, first)
        if finished.capped:
            await self._go_on(turn, answered)

    def learn(self, turn: RunningTurn, message_id: str) -> None:
        """Take over what the turn's answers teach, once the answer is in the store under that id. It writes."""
        with contextlib.suppress(SidekeepError):  # what is learned is worth less than the answer
            for attempt, usage, _ in turn.answered:
                prompt_tokens = None if usage is None else usage.prompt_tokens
                self._learning.answered(turn.scope, attempt.provider, attempt.report, prompt_tokens)
            if turn.answered and (usage := turn.answered[0].usage) is not None:
                answer = _counted_answer(turn, usage, message_id)
                self._learning.counted(turn.scope, turn.asked.session_id, turn.answered[0].attempt, usage, answer)

    async def _answered(self, turn: RunningTurn, prepared: Prepared) -> tuple[Prepared, Finished]:
        retries = 0
        while True:
            try:
                return prepared, await self._ask(turn, prepared)
            except ProviderFailed as failure:
                verdict = await self._judged(turn, prepared, failure)
                if turn.text:
                    raise
                rescued = await self._second_try(turn, prepared, failure, verdict)
                if rescued is None:
                    await self._wait(turn, failure, retries)
                    retries += 1
                else:
                    prepared = rescued

    async def _judged(self, turn: RunningTurn, prepared: Prepared, failure: ProviderFailed) -> Verdict:
        verdict = judged(failure, turn.provider.model)
        provider, report = prepared.attempt.provider, prepared.report
        with contextlib.suppress(SidekeepError):  # the store may be busy; the rescue does not need it
            await asyncio.to_thread(self._learning.refused, turn.scope, provider, report, verdict)
        if verdict.is_overflow and turn.text:
            self._broken_off[turn.asked.question_id] = verdict
        return verdict

    async def _second_try(
        self, turn: RunningTurn, refused: Prepared, failure: ProviderFailed, verdict: Verdict
    ) -> Prepared | None:
        """The rescued request, where there was none in this turn yet and the failure is one of size."""
        if turn.rescued:
            return None
        try:
            return await self._rescued(turn, refused, verdict)
        except RequestRefused as refusal:
            if verdict.limit_tokens is not None:  # else it speaks of a room that was a guess
                failure.judge(failure.verdict, refusal.message)
            return None

    async def _rescued(self, turn: RunningTurn, refused: Prepared, verdict: Verdict) -> Prepared | None:
        """The smaller request, told to the panel; None where nothing makes it smaller. Raises RequestRefused."""
        found = await asyncio.to_thread(self._requests.rescued, refused, verdict)
        if found is None:
            return None
        prepared, rescued = found
        turn.rescued, turn.shortened = True, rescued.shortened
        turn.goes_on("rescued", **_left_out(refused, rescued, verdict))
        return prepared

    async def _wait(self, turn: RunningTurn, failure: ProviderFailed, retries: int) -> None:
        """Wait for a retry, told to the panel. Raises the failure where there is none."""
        wait = wait_s(failure, retries, self._chance())
        if wait is None:
            raise failure
        turn.goes_on("retrying", verdict=failure.verdict, retry=retries + 1, of=MAX_RETRIES, inMs=round(wait * 1000))
        await self._pause(wait)

    async def _go_on(self, turn: RunningTurn, answered: Prepared) -> None:
        """Ask once for the rest of an answer that its allowance cut. Where that fails, what there is stays the answer."""
        with contextlib.suppress(ProviderFailed, RequestRefused):
            prepared = await asyncio.to_thread(self._requests.continuation, answered, turn.text)
            turn.goes_on("continued")
            await self._ask(turn, prepared, Joint(turn.text))

    async def _ask(self, turn: RunningTurn, prepared: Prepared, joint: Joint | None = None) -> Finished:
        """Send one request and take its answer. Raises ProviderFailed."""
        turn.report = prepared.report
        endpoint = await self._providers.endpoint(turn.scope, turn.provider)
        finished = Finished(None)
        usage: UsageReport | None = None
        try:
            async with contextlib.aclosing(self._providers.client().stream(endpoint, prepared.body)) as events:
                async for event in events:
                    match event:
                        case TextDelta():
                            _add(turn, event.text if joint is None else joint.feed(event.text))
                        case ReasoningDelta():
                            turn.add_thought(event.text)
                        case UsageReport():
                            usage = event
                        case Finished():
                            turn.answered.append(Answered(prepared.attempt, usage, len(turn.text)))
                            turn.read_in_part = turn.read_in_part or _was_cut(prepared, usage)
                            finished = event
        finally:
            if joint is not None:
                _add(turn, joint.rest())
            if usage is not None:
                turn.add_usage(usage)
        return finished


def _was_cut(prepared: Prepared, usage: UsageReport | None) -> bool:
    """Whether the server read less than it was sent, without a word. An agent counts its own transcript."""
    report = prepared.report
    if usage is None or prepared.attempt.provider.agent or usage.prompt_tokens >= report.estimated_tokens:
        return False
    return check_usage(report.estimated_tokens, usage, report.window_tokens) is not None


def _counted_answer(turn: RunningTurn, usage: UsageReport, message_id: str) -> Answer | None:
    """The first answer as a part of the requests to come; None where it went on, or where thoughts may be in its count."""
    if len(turn.text) != turn.answered[0].characters or (turn.reasoning and usage.reasoning_tokens is None):
        return None
    tokens = usage.completion_tokens - (usage.reasoning_tokens or 0)
    return Answer(message_id, Counted(estimate(turn.text) + MESSAGE_FRAME, tokens + MESSAGE_FRAME))


def _add(turn: RunningTurn, text: str) -> None:
    if text:
        turn.add_text(text)


def _left_out(refused: Prepared, rescued: Rescued, verdict: Verdict) -> dict[str, object]:
    """What the panel tells of a rescue."""
    before, after = refused.attempt, rescued.attempt
    detail: dict[str, object] = {
        "verdict": verdict.kind,
        "shortened": [{"attachId": name, "chars": entry.own_characters} for name, entry in rescued.shortened.items()],
        "messagesDropped": after.report.messages_dropped - before.report.messages_dropped,
        "imagesDropped": before.report.images_sent - after.report.images_sent,
    }
    if verdict.limit_tokens is not None:
        detail["limitTokens"] = verdict.limit_tokens
    if after.provider.max_tokens != before.provider.max_tokens:
        detail["maxTokens"] = after.provider.max_tokens
    return detail
