"""Requests that an extension sends itself (`request.*`): made, judged and learned from like those of a turn, not fetched.

The conversation's lock is held from `prepare` until the answer is there, or nothing can be sent in the place of what was refused.
What was prepared stays known after that, because a client may wait and send it again.
"""

import asyncio
import contextlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sidekeep.domain.message import SAW_MEMBER
from sidekeep.domain.providers import OFFLINE, Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, NotFound, RequestRefused, SidekeepError
from sidekeep.llm.api.table import APIS
from sidekeep.llm.types import UsageReport
from sidekeep.request.overflow import classify
from sidekeep.request.prices import cost
from sidekeep.request.view import Entry
from sidekeep.service.answering import Answering
from sidekeep.service.learning import Learning
from sidekeep.service.providers import Providers
from sidekeep.service.requests import Prepared, Requests
from sidekeep.service.turn import Turns, release, usage_fields
from sidekeep.service.turn_store import Asked, Left, Question, TurnStore
from sidekeep.store.locks import HeldLock


@dataclass(frozen=True, slots=True)
class Ready:
    """A request to send: where to, and what."""

    request: str
    url: str
    prepared: Prepared


@dataclass(slots=True)
class _Open:
    """A request that was prepared. `shortened` is what storage keeps of attachments once a rescued one was answered."""

    scope: Scope
    provider: Provider
    asked: Asked
    prepared: Prepared
    locks: list[HeldLock]
    rescued: bool = False
    shortened: Mapping[str, Entry] = field(default_factory=dict)


class OwnFetches:
    """The prepared requests of one host process, over one store."""

    def __init__(
        self,
        store: TurnStore,
        providers: Providers,
        turns: Turns,
        answering: Answering,
        requests: Requests,
        learning: Learning,
    ) -> None:
        self._store = store
        self._providers = providers
        self._turns = turns
        self._answering = answering
        self._requests = requests
        self._learning = learning
        self._open: dict[str, _Open] = {}

    async def prepare(self, scope: Scope, question: Question, provider: str, dialect: str | None) -> Ready:
        """Commit the question and make its request, in the provider's dialect or that one.

        Raises NotFound, InvalidParams, Conflict while a turn runs on that conversation, RequestRefused.
        """
        chosen = await asyncio.to_thread(self._providers.resolve, scope, provider)
        chosen = chosen._replace(kind=dialect or chosen.kind)
        if chosen.kind == OFFLINE or chosen.kind not in APIS:
            raise InvalidParams.at("dialect", "is none that a client can send by itself")
        self._give_up(scope)
        asked, locks = await asyncio.to_thread(self._turns.commit, scope, question)
        try:
            url = APIS[chosen.kind].answer_url(await self._providers.endpoint(scope, chosen))
            prepared = await asyncio.to_thread(self._answering.first, scope, asked, chosen)
        except BaseException:
            release(locks)
            raise
        request = str(uuid.uuid4())
        self._open[request] = _Open(scope, chosen, asked, prepared, locks)
        return Ready(request, url, prepared)

    async def failed(self, scope: Scope, request: str, status: int | None, body: str) -> Prepared | None:
        """What to send in the place of a request that was refused; None where that would not help. Once a request.

        Raises NotFound.
        """
        its = self._found(scope, request)
        verdict = classify(status, body)
        smaller = None
        if not its.rescued:
            with contextlib.suppress(RequestRefused):
                smaller = await asyncio.to_thread(self._requests.rescued, its.prepared, verdict)
        with contextlib.suppress(SidekeepError):  # what is learned is worth less than the answer
            await asyncio.to_thread(self._learning.refused, scope, its.provider, its.prepared.report, verdict)
        if smaller is None:
            release(its.locks)
            return None
        its.prepared, rescued = smaller
        its.rescued, its.shortened = True, rescued.shortened
        return its.prepared

    async def succeeded(
        self, scope: Scope, request: str, message: Mapping[str, Any], usage: UsageReport | None
    ) -> None:
        """Keep the answer, with what a turn's success leaves. Raises NotFound, InvalidParams."""
        its = self._found(scope, request)
        answer = _answer(its, message, usage)
        left = Left(its.prepared.report.cut, {name: entry.text for name, entry in its.shortened.items()})
        await asyncio.to_thread(self._store.answer, scope, its.asked.place, answer, left)
        release(its.locks)
        self._open.pop(request, None)
        with contextlib.suppress(SidekeepError):
            await asyncio.to_thread(self._learn, its, usage)

    def _learn(self, its: _Open, usage: UsageReport | None) -> None:
        attempt = its.prepared.attempt
        counted = None if usage is None else usage.prompt_tokens
        self._learning.answered(its.scope, attempt.provider, attempt.report, counted)
        if usage is not None:
            self._learning.counted(its.scope, its.asked.session_id, attempt, usage, None)

    def _found(self, scope: Scope, request: str) -> _Open:
        its = self._open.get(request)
        if its is None or its.scope != scope:
            raise NotFound("That request is not known (any more). Prepare it again.", what="request", id=request)
        return its

    def _give_up(self, scope: Scope) -> None:
        """A profile sends one request at a time: those before it are forgotten, and their questions stay."""
        for request in [name for name, its in self._open.items() if its.scope == scope]:
            release(self._open.pop(request).locks)


def _answer(its: _Open, message: Mapping[str, Any], usage: UsageReport | None) -> dict[str, Any]:
    shown = its.prepared.attempt.request.entries
    seen = [entry.message_id for entry in shown if entry.images and not entry.labels]
    return {
        "id": str(uuid.uuid4()),
        **message,
        "role": "assistant",
        "provider": its.provider.name,
        "model": its.provider.model,
        **({} if usage is None else {"usage": usage_fields(usage, cost(usage, its.provider))}),
        **({"rescued": True} if its.rescued else {}),
        **({SAW_MEMBER: seen} if seen else {}),
    }
