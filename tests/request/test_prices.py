"""What a request cost, by the dated list."""

import pytest

from sidekeep.domain.providers import Provider
from sidekeep.llm.types import UsageReport
from sidekeep.request.model_registry import as_of
from sidekeep.request.prices import Cost, cost

GPT_5 = Provider("openai", "openai-chat", "https://api.openai.com/v1", "gpt-5")
GROK = Provider("xai", "openai-chat", "https://api.x.ai/v1", "grok-4.20")


@pytest.mark.parametrize(
    ("provider", "prompt", "cached", "completion", "amount"),
    [
        (GPT_5, 1_000_000, None, 0, 1.25),
        (GPT_5, 0, None, 1_000_000, 10.0),
        (GPT_5, 1_000_000, 900_000, 100_000, 0.125 + 0.1125 + 1.0),
        (GPT_5, 1_000, 5_000, 0, 0.000125),
        (GPT_5._replace(model="gpt-5-2025-08-07"), 1_000_000, 0, 0, 1.25),
        (GROK, 200_000, 0, 0, 0.25),
        (GROK, 200_001, 0, 1_000, 200_001 * 2.5e-6 + 0.005),
    ],
    ids=["prompt", "answer", "cached", "more cached than sent", "snapshot", "up to the long price", "long price"],
)
def test_tokens_cost_what_the_list_says(
    provider: Provider, prompt: int, cached: int | None, completion: int, amount: float
) -> None:
    found = cost(UsageReport(prompt, completion, cached), provider)
    assert found is not None
    assert found.amount == pytest.approx(amount)
    assert found == Cost(found.amount, "USD", as_of())


@pytest.mark.parametrize(
    "provider",
    [
        Provider("mine", "openai-chat", "http://127.0.0.1:9/v1", "gpt-5"),
        Provider("proxy", "anthropic", "https://proxy.example.org/v1", "claude-sonnet-4-5"),
        Provider("offline", "offline", "", "SmolLM2-135M-Instruct"),
        GPT_5._replace(model="nobody's"),
    ],
    ids=["own server", "reseller", "offline", "unknown model"],
)
def test_what_is_not_in_the_list_has_no_cost_rather_than_a_wrong_one(provider: Provider) -> None:
    assert cost(UsageReport(1000, 10), provider) is None
