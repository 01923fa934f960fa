"""Lists of models in the shapes of the servers that people run."""

import pytest

from sidekeep.llm.model_list import is_lm_studio, parse_gemini_models, parse_model_list
from sidekeep.llm.types import ModelInfo

CASES = {
    "OpenAI": ({"data": [{"id": "a", "object": "model"}]}, [ModelInfo("a")]),
    "llama.cpp": ({"data": [{"id": "a", "meta": {"n_ctx": 2048, "n_ctx_train": 8192}}]}, [ModelInfo("a", 2048)]),
    "older llama.cpp": ({"models": [], "data": [{"id": "a", "meta": {"n_ctx_train": 8192}}]}, [ModelInfo("a", 8192)]),
    "vLLM": ({"data": [{"id": "a", "max_model_len": 4096}]}, [ModelInfo("a", 4096)]),
    "OpenRouter": (
        {"data": [{"id": "a", "context_length": 8, "architecture": {"input_modalities": ["text", "image"]}}]},
        [ModelInfo("a", 8, vision=True)],
    ),
    "OpenRouter's provider has a smaller window": (
        {"data": [{"id": "a", "context_length": 8, "top_provider": {"context_length": 4}}]},
        [ModelInfo("a", 4)],
    ),
    "Mistral": ({"data": [{"id": "a", "capabilities": {"vision": False}}]}, [ModelInfo("a", None, vision=False)]),
    "LM Studio": ({"data": [{"id": "a", "type": "llm", "max_context_length": 4}]}, [ModelInfo("a", 4, vision=False)]),
    "Together": ([{"id": "a", "context_length": 4}], [ModelInfo("a", 4)]),
    "Ollama's own": ({"models": [{"name": "a:latest"}]}, [ModelInfo("a:latest")]),
    "Anthropic": (
        {"data": [{"id": "a", "max_input_tokens": 4, "capabilities": {"image_input": {"supported": True}}}]},
        [ModelInfo("a", 4, vision=True)],
    ),
    "Groq": ({"data": [{"id": "a", "context_window": 4}]}, [ModelInfo("a", 4)]),
    "wrong types": ({"data": [5, {}, {"id": 5}, {"id": "a", "context_length": "4", "meta": []}]}, [ModelInfo("a")]),
    "the same twice": ({"data": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}, [ModelInfo("a"), ModelInfo("b")]),
    "empty": ({"data": []}, []),
    "no list": ({"error": "x"}, None),
    "text": ("x", None),
}


@pytest.mark.parametrize(("value", "models"), CASES.values(), ids=CASES.keys())
def test_a_list_is_read_whoever_sends_it(value: object, models: list[ModelInfo] | None) -> None:
    assert parse_model_list(value) == models


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ({"data": [{"id": "a", "owned_by": "organization_owner"}]}, True),
        ({"data": [{"id": "a", "owned_by": "llamacpp"}]}, False),
        ({"data": ["x"]}, False),
        ([], False),
    ],
)
def test_lm_studio_is_known_by_its_owner(value: object, known: bool) -> None:
    assert is_lm_studio(value) is known


def test_half_a_character_and_a_number_without_end_cannot_spoil_the_reply() -> None:
    """Such a list is read by json.loads, and no reply could be written with what comes out."""
    listed = parse_model_list({"data": [{"id": "a\ud800", "context_length": 10**30}]})
    assert listed == [ModelInfo("a?", None, None)]


GEMINI = {
    "type": (
        {"models": [{"name": "models/a", "inputTokenLimit": 4, "supportedGenerationMethods": ["generateContent"]}]},
        [ModelInfo("a", 4)],
    ),
    "no text": ({"models": [{"name": "models/a", "supportedGenerationMethods": ["embedContent"]}]}, []),
    "odd": ({"models": [{"name": 5, "supportedGenerationMethods": ["generateContent"]}, 5, {"name": "models/b"}]}, []),
    "empty": ({}, []),
    "no list": ({"models": 5}, None),
    "text": ("x", None),
}


@pytest.mark.parametrize(("value", "models"), GEMINI.values(), ids=GEMINI.keys())
def test_geminis_list_has_names_of_its_own(value: object, models: list[ModelInfo] | None) -> None:
    assert parse_gemini_models(value) == models
