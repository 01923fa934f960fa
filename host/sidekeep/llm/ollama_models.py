"""What Ollama tells of its models: their windows as they run, and vision."""

from dataclasses import replace
from typing import Any

import orjson

from sidekeep.llm.json_members import count_of, object_of, objects_of, text_of
from sidekeep.llm.types import ModelInfo

# More than this is not taken because a model was trained with it: Ollama reserves memory for the whole window at once.
_MODEST_TOKENS = 8192


def windows(ps: Any) -> dict[str, int]:
    """Model -> the window it runs with now, out of an answer of /api/ps."""
    models = objects_of(object_of(ps).get("models"))
    return {text_of(model.get("name")): found for model in models if (found := count_of(model.get("context_length")))}


def show(info: ModelInfo) -> bytes:
    """The body that asks /api/show for a model."""
    return orjson.dumps({"model": info.id})


def completed(info: ModelInfo, told: Any, running: dict[str, int]) -> ModelInfo:
    """`info` with what /api/show told.

    The window is what the Modelfile sets, else what the model runs with, else a small model's own. A large model's own is
    left out: as `num_ctx` it would ask for more memory than most machines have, and the person may set it.
    """
    answer = object_of(told)
    capabilities = answer.get("capabilities")
    vision = "vision" in capabilities if isinstance(capabilities, list) else None
    trained = _trained(object_of(answer.get("model_info")))
    modest = trained if trained is not None and trained <= _MODEST_TOKENS else None
    return replace(
        info, window=_set(text_of(answer.get("parameters"))) or running.get(info.id) or modest, vision=vision
    )


def _set(parameters: str) -> int | None:
    """`num_ctx` of the Modelfile's parameters, which come as lines of a name and a value."""
    for line in parameters.splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and value.strip().isdecimal():
            return int(value)
    return None


def _trained(model_info: dict[str, Any]) -> int | None:
    return count_of(model_info.get(f"{text_of(model_info.get('general.architecture'))}.context_length"))
