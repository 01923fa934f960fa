"""The seam between the turn service and whatever answers: where a request goes, what comes back, and who does it.

Standard library only and cheap to import: the service names these types before any HTTP client is loaded.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model on one server, with what a request to it needs.

    `kind` is PROVIDER.kind (docs/protocol.md, Shapes). `base_url` is what the person typed, with or without a trailing
    slash, a version or `/chat/completions`. `temperature` and `max_tokens` are for the dialect that makes the body; None
    leaves them to the server. `window` is the context window in tokens, where it is known.
    """

    kind: str
    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None
    window: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer, never empty, to be appended to what came before."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's reasoning, where a server sends it apart from the answer; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Tokens as the server counted them, whichever way it splits them.

    `prompt_tokens` is the whole prompt, `cached_tokens` the part of it that came from a cache. `completion_tokens` is all
    that was written, `reasoning_tokens` the part of it that is no answer. None where the server does not say.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    def plus(self, other: "UsageReport") -> "UsageReport":
        """What two requests took together."""
        return UsageReport(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            _sum(self.cached_tokens, other.cached_tokens),
            _sum(self.reasoning_tokens, other.reasoning_tokens),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


@dataclass(frozen=True, slots=True)
class Finished:
    """The server has finished: the last event, exactly once.

    `reason` is the server's own word for why, if any. `capped`: the answer's allowance of tokens ended it, not the model.
    """

    reason: str | None
    capped: bool = False


Event: TypeAlias = TextDelta | ReasoningDelta | UsageReport | Finished


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One entry of a server's model list; `window` (tokens) and `vision` are None where the server does not tell."""

    id: str
    window: int | None = None
    vision: bool | None = None


class ProviderClient(Protocol):
    """What the turn service needs of a model's server. Each implementation passes tests/llm/test_client_contract.py."""

    def stream(self, endpoint: Endpoint, body: bytes) -> AsyncGenerator[Event, None]:
        """Send `body` (a complete JSON document, sent byte for byte) and yield the answer as it comes.

        It is an async generator: cancelling the task that reads it, or `aclose()` (`contextlib.aclosing`), drops the
        connection at once. Merely leaving the loop does not.
        Raises errors.ProviderFailed, also after some deltas have been yielded.
        """
        ...

    async def models(self, endpoint: Endpoint) -> list[ModelInfo]:
        """The server's own list of models. Raises errors.ProviderFailed."""
        ...

    async def aclose(self) -> None:
        """Drop every connection; the client cannot be used afterwards."""
        ...
