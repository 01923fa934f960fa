"""Requests of a turn, ready to leave: made from a conversation, written in the provider's dialect, measured."""

from dataclasses import dataclass, replace

from sidekeep.domain.providers import Provider
from sidekeep.request.attempt import Attempt, attempt
from sidekeep.request.build import Conversation, Report, RequestSettings, Turn
from sidekeep.request.continuation import going_on
from sidekeep.request.dialect.table import WRITERS
from sidekeep.request.overflow import Verdict
from sidekeep.request.rescue import Rescued, rescue
from sidekeep.service.turn_store import TurnStore


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request and its body; its report knows how long that is."""

    attempt: Attempt
    body: bytes

    @property
    def report(self) -> Report:
        return self.attempt.report


class Requests:
    """Makes the requests of turns over one store. Its calls read pictures: they belong on a thread."""

    def __init__(self, store: TurnStore) -> None:
        self._store = store

    def first(self, conversation: Conversation, turn: Turn, provider: Provider, settings: RequestSettings) -> Prepared:
        """Raises RequestRefused where the question does not fit."""
        return self._written(attempt(conversation, turn, provider, settings))

    def rescued(self, refused: Prepared, verdict: Verdict) -> tuple[Prepared, Rescued] | None:
        """A smaller request in the place of one that was refused; None where there is none. Raises RequestRefused."""
        found = rescue(refused.attempt, verdict)
        return None if found is None else (self._written(found.attempt), found)

    def continuation(self, answered: Prepared, answer: str) -> Prepared:
        """The request to go on with an answer that was cut, built from what was answered. Raises RequestRefused."""
        before = answered.attempt
        said = before.conversation.entries
        if before.turn.question is not None:
            said = (*said, before.turn.question)
        conversation = replace(before.conversation, entries=going_on(said, answer))
        return self._written(before.again(conversation=conversation, turn=replace(before.turn, question=None)))

    def _written(self, made: Attempt) -> Prepared:
        body = WRITERS[made.provider.kind](made.request, self._store.data_urls(made.request.pictures))
        return Prepared(replace(made, report=replace(made.report, bytes=len(body))), body)
