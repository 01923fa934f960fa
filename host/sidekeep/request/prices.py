"""What a request cost, by the dated list of prices (model_registry.py)."""

from typing import NamedTuple

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


def cost(provider: Provider, *, prompt_tokens: int, completion_tokens: int, cached_tokens: int | None) -> Cost | None:
    """What these tokens cost; None where the list has no price for the provider's model.

    `prompt_tokens` is the whole prompt, `cached_tokens` of it came from a cache. What a provider charges for writing into its
    cache is not told apart in the usage, and is left out.
    """
    facts = facts_of(provider)
    if facts is None or facts.prices is None:
        return None
    prices = _prices_for(facts, facts.prices, prompt_tokens)
    cached = min(max(cached_tokens or 0, 0), prompt_tokens)
    cached_price = prices.prompt if prices.cached is None else prices.cached
    total = (prompt_tokens - cached) * prices.prompt + cached * cached_price + completion_tokens * prices.completion
    return Cost(round(total / _MILLION, 8), currency(), as_of())


def _prices_for(facts: ModelFacts, prices: Prices, prompt_tokens: int) -> Prices:
    is_long = facts.long_prices is not None and prompt_tokens > facts.long_tokens
    return facts.long_prices if is_long and facts.long_prices is not None else prices
