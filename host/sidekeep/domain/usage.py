"""Tokens, and money where it is known, that answers have taken: sums that nothing which leaves makes smaller."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sidekeep.domain.message import StoredMessage


# A sum beyond what every side counts exactly comes of a file that lies, and could not be kept.
_MOST_TOKENS = 2**53


class Usage(NamedTuple):
    """Sums over answers (docs/protocol.md, USAGE); `costs` is one amount for each currency."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    costs: Mapping[str, float] = {}

    def plus(self, reported: Any) -> Usage:
        """With one answer's `usage` added, as a message carries it. What is no number counts as nothing."""
        if not isinstance(reported, dict):
            return self
        return Usage(
            min(self.prompt_tokens + _tokens(reported, "promptTokens"), _MOST_TOKENS),
            min(self.completion_tokens + _tokens(reported, "completionTokens"), _MOST_TOKENS),
            min(self.cached_tokens + _tokens(reported, "cachedTokens"), _MOST_TOKENS),
            _with_cost(self.costs, reported.get("cost")),
        )


def spent(usage: Usage, messages: Iterable[StoredMessage]) -> Usage:
    """The sums after these answers too."""
    import orjson

    for message in messages:
        if message.role == "assistant" and b'"usage"' in message.body:
            usage = usage.plus(orjson.loads(message.body).get("usage"))
    return usage


def _tokens(reported: dict[str, Any], name: str) -> int:
    count = reported.get(name)
    return count if type(count) is int and count > 0 else 0


def _with_cost(costs: Mapping[str, float], cost: Any) -> Mapping[str, float]:
    amount, currency = (cost.get("amount"), cost.get("currency")) if isinstance(cost, dict) else (None, None)
    if not isinstance(amount, (int, float)) or isinstance(amount, bool) or not isinstance(currency, str):
        return costs
    total = (costs.get(currency) or 0.0) + amount
    return {**costs, currency: total} if math.isfinite(total) else costs
