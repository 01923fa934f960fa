"""Lists of models as servers give them, with the context window and vision where a server tells."""

from collections.abc import Iterator
from typing import Any

from sidekeep.llm.json_members import count_of, object_of, objects_of, text_of
from sidekeep.llm.types import ModelInfo


def parse_model_list(value: Any) -> list[ModelInfo] | None:
    """The models of a `GET /models` answer (decoded JSON), in the server's order; None where it is no such list.

    Shapes: OpenAI's and Anthropic's `{data: […]}`, a bare list (Together), `{models: […]}` (Ollama, with `name`).
    """
    if isinstance(value, dict):
        value = value.get("data") if isinstance(value.get("data"), list) else value.get("models")
    if not isinstance(value, list):
        return None
    return list({info.id: info for info in _infos(value)}.values())


def parse_gemini_models(value: Any) -> list[ModelInfo] | None:
    """As parse_model_list, of Gemini's list, whose names begin with `models/`. Models that write no text are left out."""
    if not isinstance(value, dict) or not isinstance(value.get("models", []), list):
        return None
    chatting = [model for model in objects_of(value.get("models")) if _generates(model)]
    return [
        ModelInfo(text_of(model.get("name")).removeprefix("models/"), count_of(model.get("inputTokenLimit")) or None)
        for model in chatting
    ]


def _generates(model: dict[str, Any]) -> bool:
    return bool(text_of(model.get("name"))) and "generateContent" in (model.get("supportedGenerationMethods") or ())


def is_lm_studio(value: Any) -> bool:
    """LM Studio's `/v1/models` tells neither windows nor vision, but it can be known by its owner's fixed name."""
    entries = value.get("data") if isinstance(value, dict) else None
    return isinstance(entries, list) and any(
        isinstance(entry, dict) and entry.get("owned_by") == "organization_owner" for entry in entries
    )


def _infos(entries: list[Any]) -> Iterator[ModelInfo]:
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        name = entry.get("id") or entry.get("name")
        if isinstance(name, str) and name:
            # A lone surrogate gets through where orjson refuses the list, and nothing behind this could be encoded with one.
            name = name.encode("utf-8", "replace").decode()
            yield ModelInfo(name, _window(entry), _vision(entry))


def _window(entry: dict[str, Any]) -> int | None:
    """Tokens. What the server runs with goes before what the model was made for."""
    meta = object_of(entry.get("meta"))
    for found in (
        meta.get("n_ctx"),  # llama.cpp, as started
        meta.get("n_ctx_train"),  # llama.cpp, older
        entry.get("max_model_len"),  # vLLM, SGLang
        object_of(entry.get("top_provider")).get("context_length"),  # OpenRouter: the provider it would route to
        entry.get("context_length"),  # OpenRouter, Together
        entry.get("loaded_context_length"),  # LM Studio, a model in memory
        entry.get("max_context_length"),  # LM Studio, Mistral
        entry.get("context_window"),  # Groq
        entry.get("max_input_tokens"),  # Anthropic
    ):
        if tokens := count_of(found):
            return tokens
    return None


def _vision(entry: dict[str, Any]) -> bool | None:
    modalities = object_of(entry.get("architecture")).get("input_modalities")
    if isinstance(modalities, list):  # OpenRouter, llama.cpp
        return "image" in modalities
    capabilities = object_of(entry.get("capabilities"))
    if "vision" in capabilities:  # Mistral
        return capabilities["vision"] is True
    if "image_input" in capabilities:  # Anthropic
        return object_of(capabilities["image_input"]).get("supported") is True
    if entry.get("type") in ("vlm", "llm"):  # LM Studio
        return bool(entry["type"] == "vlm")
    return None
