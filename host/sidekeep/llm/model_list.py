"""Lists of models as servers give them, with the context window and vision where a server tells."""

from collections.abc import Iterator
from typing import Any

from sidekeep.llm.types import ModelInfo


def parse_model_list(value: Any) -> list[ModelInfo] | None:
    """The models of a `GET /models` answer (decoded JSON), in the server's order; None where it is no such list.

    Shapes: OpenAI's `{data: […]}`, a bare list (Together), `{models: […]}` (Ollama, with `name`).
    """
    if isinstance(value, dict):
        value = value.get("data") if isinstance(value.get("data"), list) else value.get("models")
    if not isinstance(value, list):
        return None
    return list({info.id: info for info in _infos(value)}.values())


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
    meta = _dict(entry.get("meta"))
    for found in (
        meta.get("n_ctx"),  # llama.cpp, as started
        meta.get("n_ctx_train"),  # llama.cpp, older
        entry.get("max_model_len"),  # vLLM, SGLang
        _dict(entry.get("top_provider")).get("context_length"),  # OpenRouter: the provider it would route to
        entry.get("context_length"),  # OpenRouter, Together
        entry.get("loaded_context_length"),  # LM Studio, a model in memory
        entry.get("max_context_length"),  # LM Studio, Mistral
        entry.get("context_window"),  # Groq
    ):
        if isinstance(found, int) and not isinstance(found, bool) and 0 < found < 2**53:
            return found
    return None


def _vision(entry: dict[str, Any]) -> bool | None:
    modalities = _dict(entry.get("architecture")).get("input_modalities")
    if isinstance(modalities, list):  # OpenRouter, llama.cpp
        return "image" in modalities
    capabilities = entry.get("capabilities")
    if isinstance(capabilities, dict) and "vision" in capabilities:  # Mistral
        return capabilities["vision"] is True
    if entry.get("type") in ("vlm", "llm"):  # LM Studio
        return bool(entry["type"] == "vlm")
    return None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
