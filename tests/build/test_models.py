"""The list of models: how it is made of another list, and what is in it."""

import json
import re
from typing import Any

from tasks.models import PROVIDERS, TARGET, registry, write

LISTED = {
    "gpt-x": {
        "litellm_provider": "openai",
        "mode": "chat",
        "max_input_tokens": 272_000,
        "input_cost_per_token": 1.25e-06,
        "cache_read_input_token_cost": 1.25e-07,
        "output_cost_per_token": 1e-05,
        "input_cost_per_token_above_200k_tokens": 2.5e-06,
        "output_cost_per_token_above_200k_tokens": 2e-05,
    },
    "deepseek/Model": {
        "litellm_provider": "deepseek",
        "mode": "chat",
        "max_tokens": 8192,
        "input_cost_per_token": 1e-6,
    },
    "ft:gpt-x": {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 1},
    "embedding-x": {"litellm_provider": "openai", "mode": "embedding", "max_input_tokens": 1},
    "elsewhere/gpt-x": {"litellm_provider": "elsewhere", "mode": "chat", "max_input_tokens": 1},
}


def test_a_model_keeps_its_window_and_its_prices_for_a_million_tokens() -> None:
    made = registry(LISTED, "1.0", "2026-01-02")
    assert made["providers"]["openai"]["models"] == {
        "gpt-x": {
            "window": 272_000,
            "input": 1.25,
            "cached": 0.125,
            "output": 10.0,
            "above": {"tokens": 200_000, "input": 2.5, "output": 20.0},
        }
    }


def test_half_a_price_is_none() -> None:
    assert registry(LISTED, "1.0", "2026-01-02")["providers"]["deepseek"]["models"] == {"model": {"window": 8192}}


def test_the_file_says_where_it_is_from_and_when() -> None:
    made = registry(LISTED, "1.0", "2026-01-02")
    assert json.loads(write(made)) == made
    assert "LiteLLM 1.0" in made["source"]
    assert made["asOf"] == "2026-01-02"


def test_the_list_in_the_host_is_written_by_this_task_and_plausible() -> None:
    text = TARGET.read_text("utf-8")
    found = json.loads(text)
    assert write(found) == text
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["asOf"])
    assert found["providers"].keys() == {"offline", *PROVIDERS}
    assert len(text) < 80_000
    for provider in found["providers"].values():
        for facts in provider["models"].values():
            assert _is_plausible(facts), facts


def _is_plausible(facts: dict[str, Any]) -> bool:
    prices = [value for prices in (facts, facts.get("above", {})) for key, value in prices.items() if key != "tokens"]
    numbers = [value for value in prices if isinstance(value, float)]
    return 256 <= facts.get("window", 256) <= 20_000_000 and all(0 <= price < 2000 for price in numbers)
