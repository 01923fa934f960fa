"""How large a window is, and who says so; what is known of models by provider."""

from typing import Any

import pytest
from tests.support.request_cases import cases

from sidekeep.domain.providers import BUILT_IN, Provider, provider_from
from sidekeep.request.model_registry import facts_of
from sidekeep.request.windows import DEFAULT_WINDOW_TOKENS, Window, window_of

OPENAI = Provider("openai", "openai-chat", "https://api.openai.com/v1", "gpt-4o")
UNKNOWN = Provider("mine", "openai-chat", "http://127.0.0.1:9/v1", "gpt-4o")


def test_who_knows_better_wins() -> None:
    """A registry must not overrule the person (aaif-goose/goose#11049), nor an error the person."""
    declared = OPENAI._replace(window=32_768)
    assert window_of(declared, learned=16_000, server=8_000) == Window(32_768, "user")
    assert window_of(OPENAI, learned=16_000, server=64_000) == Window(16_000, "learned")
    assert window_of(OPENAI, server=64_000) == Window(64_000, "server")
    assert window_of(OPENAI) == Window(128_000, "registry")
    assert window_of(UNKNOWN) == Window(DEFAULT_WINDOW_TOKENS, "default")


@pytest.mark.parametrize("nothing", [0, -1, None])
def test_zero_and_less_mean_that_nobody_said(nothing: int | None) -> None:
    declared = provider_from({"name": "openai", "baseUrl": OPENAI.base_url, "model": "gpt-4o", "window": nothing})
    assert window_of(declared, learned=nothing, server=nothing) == Window(128_000, "registry")


@pytest.mark.parametrize("case", [case for case in cases("budget") if "budget" in case.values[0].get("expect", ())])
def test_the_window_of_a_shared_case_is_the_one_that_counts(case: dict[str, Any]) -> None:
    params = case["params"]
    provider = UNKNOWN._replace(window=params.get("declared_window"))
    window = window_of(provider, learned=params.get("learned_window"), server=params["window"])
    assert window.tokens == case["expect"]["budget"] + params["max_output"]


@pytest.mark.parametrize(
    ("kind", "base_url", "model", "window"),
    [
        ("openai-chat", "https://api.openai.com/v1", "gpt-5", 272_000),
        ("openai-chat", "https://API.openai.com/v1/", "GPT-5-2025-08-07", 272_000),
        ("openai-chat", "https://api.deepseek.com", "deepseek-chat", 131_072),
        ("anthropic", "https://api.anthropic.com/v1", "claude-sonnet-4-5-20250929", 200_000),
        ("anthropic", "https://proxy.example.org/v1", "claude-sonnet-4-5", 200_000),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-pro", 1_048_576),
        ("openai-responses", "https://api.x.ai/v1", "grok-4.20", 1_000_000),
        ("offline", "", "SmolLM2-135M-Instruct", 8192),
    ],
)
def test_a_model_is_known_by_who_serves_it(kind: str, base_url: str, model: str, window: int) -> None:
    facts = facts_of(Provider("p", kind, base_url, model))
    assert facts is not None
    assert facts.window == window


@pytest.mark.parametrize(
    ("kind", "base_url", "model"),
    [
        ("openai-chat", "https://proxy.example.org/v1", "gpt-5"),
        ("openai-chat", "https://api.openai.com.example.org/v1", "gpt-5"),
        ("openai-chat", "https://api.openai.com/v1", "gpt-5-of-tomorrow"),
        ("openai-chat", "https://api.openai.com/v1", ""),
        ("openai-chat", "http://[", "gpt-5"),
        ("ollama", "http://127.0.0.1:11434", "llama3.2"),
    ],
)
def test_a_bare_model_name_tells_nothing(kind: str, base_url: str, model: str) -> None:
    assert facts_of(Provider("p", kind, base_url, model)) is None


@pytest.mark.parametrize("name", ["offline", "openai", "anthropic", "gemini"])
def test_the_models_that_are_built_in_are_known(name: str) -> None:
    assert window_of(provider_from({"name": name, **BUILT_IN[name]})).source == "registry"
