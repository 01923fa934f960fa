"""What a picture costs, by each provider's formula. Figures are from the providers' guides, or reckoned by hand from them."""

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.request_cases import cases

from sidekeep.request.image_tokens import (
    UNKNOWN_SIZE_TOKENS,
    Formula,
    area_750,
    gemini_tiles,
    image_tokens,
    patches,
    patches_28,
    tiles,
)

PUBLISHED = [
    ("openai-chat", "gpt-4o", 1024, 1024, 765),
    ("openai-chat", "gpt-4o", 2048, 4096, 1105),
    ("openai-chat", "openai/gpt-4o-2024-08-06", 300, 200, 255),
    ("openai-chat", "gpt-4o-mini", 1024, 1024, 25501),
    ("openai-chat", "gpt-5", 1024, 1024, 630),
    ("openai-chat", "o3", 512, 512, 225),
    ("openai-chat", "gpt-4.1-mini", 1024, 1024, 1659),
    ("openai-chat", "gpt-4.1-mini", 1800, 2400, 2353),
    ("openai-responses", "gpt-5.2", 1024, 1024, 1229),
    ("openai-responses", "gpt-5.6-chat", 1024, 1024, 1229),
    ("anthropic", "claude-3-5-sonnet-latest", 1092, 1092, 1590),
    ("anthropic", "claude-sonnet-4-5", 1000, 1000, 1296),
    ("anthropic", "claude-opus-4-20250514", 3000, 2000, 1568),
    ("openrouter", "anthropic/claude-opus-4.7", 8000, 6000, 4784),
    ("anthropic", "claude-opus-4-7", 2000, 1000, 2592),
    ("gemini", "gemini-2.5-flash", 384, 384, 258),
    ("gemini", "gemini-2.5-pro", 960, 540, 1548),
    ("gemini", "gemini-3-pro-preview", 4000, 3000, 1120),
    ("ollama", "gemma3:4b", 4000, 3000, 258),
    ("openai-chat", "qwen2.5-vl-7b-instruct", 280, 280, 100),
]


@pytest.mark.parametrize(("kind", "model", "width", "height", "tokens"), PUBLISHED)
def test_a_model_is_charged_by_its_providers_formula(
    kind: str, model: str, width: int, height: int, tokens: int
) -> None:
    assert image_tokens(kind, model, width, height) == tokens


@pytest.mark.parametrize("case", cases("image-tokens"))
def test_a_formula_gives_the_figure_of_the_shared_case(case: dict[str, Any]) -> None:
    params, expected = case["params"], case["expect"]
    width, height, detail = params["w"] or 0, params["h"] or 0, params.get("detail", "auto")
    if params["formula"] == "unknown":
        assert expected["tokens_min"] <= image_tokens("openai-chat", "", width, height) <= expected["tokens_max"]
    else:
        assert _formula(params)(width, height, detail) == expected["tokens"]


def _formula(params: dict[str, Any]) -> Formula:
    match params["formula"]:
        case "openai_tiles":
            return partial(tiles, base=params["base"], tile=params["tile"])
        case "openai_patches":
            return partial(patches, factor=params["factor"], most=params.get("most", 2500))
        case "anthropic_28":
            return partial(patches_28, edge=1568, most=1568)
        case name:
            return {"anthropic_750": area_750, "gemini": gemini_tiles}[name]


@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-4-7", "somebody's own"])
def test_a_picture_of_unknown_size_costs_a_middle_figure(model: str) -> None:
    assert image_tokens("openai-chat", model, 0, 0) == UNKNOWN_SIZE_TOKENS


def test_low_detail_costs_the_base_whatever_the_size() -> None:
    assert image_tokens("openai-chat", "gpt-4o", 4000, 3000, "low") == 85
    assert image_tokens("openai-chat", "gpt-4o", 0, 0, "low") == 85


@given(
    kind=st.sampled_from(["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "offline", ""]),
    model=st.sampled_from([model for _, model, *_ in PUBLISHED]) | st.text(max_size=8),
    width=st.integers(0, 100_000),
    height=st.integers(0, 100_000),
    detail=st.sampled_from(["auto", "low", "high", "odd"]),
)
def test_no_picture_is_free_and_none_costs_a_window(
    kind: str, model: str, width: int, height: int, detail: str
) -> None:
    assert 1 <= image_tokens(kind, model, width, height, detail) <= 50_000
