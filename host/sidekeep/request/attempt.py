"""A request together with what it was made from, so that another can be made in its place."""

from dataclasses import dataclass

from sidekeep.domain.providers import Provider
from sidekeep.request.build import Conversation, Report, Request, RequestSettings, Turn, build


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request of a turn. Its report knows the bytes of the body once there is one."""

    conversation: Conversation
    turn: Turn
    provider: Provider
    settings: RequestSettings
    request: Request
    report: Report

    def again(
        self, *, conversation: Conversation | None = None, turn: Turn | None = None, provider: Provider | None = None
    ) -> "Attempt":
        """The same with another conversation, turn or provider. Raises RequestRefused."""
        return attempt(conversation or self.conversation, turn or self.turn, provider or self.provider, self.settings)


def attempt(conversation: Conversation, turn: Turn, provider: Provider, settings: RequestSettings) -> Attempt:
    """A first request. Raises RequestRefused where the question does not fit."""
    request, report = build(conversation, turn, provider, settings)
    return Attempt(conversation, turn, provider, settings, request, report)
