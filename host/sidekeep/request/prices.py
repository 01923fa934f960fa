"""What a request cost, by the dated list of prices (model_registry.py)."""

from typing import NamedTuple, Protocol

from sidekeep.domain.providers import Provider
from sidekeep.request.model_registry import ModelFacts, Prices, as_of, currency, facts_of

_MILLION = 1_000_000


class Cost(NamedTuple):
    """`amount` in `currency`; `as_of` is the day of the list, because prices change."""

    amount: float
    currency: str
    as_of: str

    def plus(self, other: "Cost") -> "Cost":
        """What two requests to one provider cost together."""
        return self._replace(amount=round(self.amount + other.amount, 8))


class Tokens(Protocol):
    """What a request took: the whole prompt, the part of it that came from a cache, and all that was written."""

    @property
    def prompt_tokens(self) -> int: ...

    @property
    def completion_tokens(self) -> int: ...

    @property
    def cached_tokens(self) -> int | None: ...


def cost(usage: Tokens, provider: Provider) -> Cost | None:
    """What one request cost; None where the list has no price for the provider's model.

    What a provider charges for writing into its cache is not told apart in the usage, and is left out.
    """
    facts = facts_of(provider)
    if facts is None or facts.prices is None:
        return None
    prices = _prices_for(facts, facts.prices, usage.prompt_tokens)
    cached = min(max(usage.cached_tokens or 0, 0), usage.prompt_tokens)
    cached_price = prices.prompt if prices.cached is None else prices.cached
    prompt = (usage.prompt_tokens - cached) * prices.prompt + cached * cached_price
    total = prompt + usage.completion_tokens * prices.completion
    return Cost(round(total / _MILLION, 8), currency(), as_of())


def _prices_for(facts: ModelFacts, prices: Prices, prompt_tokens: int) -> Prices:
    is_long = facts.long_prices is not None and prompt_tokens > facts.long_tokens
    return facts.long_prices if is_long and facts.long_prices is not None else prices
