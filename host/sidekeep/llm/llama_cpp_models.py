"""What a llama.cpp server tells of its one model: the window it was started with."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sidekeep.llm.json_members import count_of, object_of, objects_of
from sidekeep.llm.types import ModelInfo


def tells_training_only(value: Any) -> bool:
    """Whether a list of models is llama.cpp's and has only the window that the model was trained with, as older builds do.

    Such a server is often started with a fraction of it.
    """
    entries = objects_of(object_of(value).get("data"))
    return any(
        entry.get("owned_by") == "llamacpp" and not object_of(entry.get("meta")).get("n_ctx") for entry in entries
    )


def completed(models: Sequence[ModelInfo], props: Any) -> list[ModelInfo]:
    """`models` with the window that /props told: what one conversation has of it."""
    window = count_of(object_of(object_of(props).get("default_generation_settings")).get("n_ctx"))
    return [replace(info, window=window) for info in models] if window else list(models)
