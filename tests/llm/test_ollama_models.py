"""What Ollama tells of its models, in the words of its /api/show and /api/ps."""

from typing import Any

import orjson
import pytest

from sidekeep.llm import ollama_models
from sidekeep.llm.types import ModelInfo

LARGE = {"general.architecture": "qwen3", "qwen3.context_length": 40_960}
SMALL = {"general.architecture": "llama", "llama.context_length": 2048}


@pytest.mark.parametrize(
    ("told", "running", "window", "vision"),
    [
        ({"model_info": LARGE, "capabilities": ["completion", "vision"]}, {}, None, True),
        ({"model_info": LARGE, "capabilities": ["completion"]}, {"m": 4096}, 4096, False),
        ({"model_info": LARGE, "parameters": "stop    <x>\nnum_ctx    32768"}, {"m": 4096}, 32_768, None),
        ({"model_info": SMALL}, {}, 2048, None),
        ({"model_info": {"general.architecture": 5}, "parameters": "num_ctx many"}, {}, None, None),
        ({"error": "model not found"}, {}, None, None),
        (None, {"m": 4096}, 4096, None),
    ],
    ids=["large", "running", "set", "small", "odd", "unknown", "no answer"],
)
def test_the_window_is_what_is_set_else_what_runs_else_a_small_models_own(
    told: Any, running: dict[str, int], window: int | None, vision: bool | None
) -> None:
    assert ollama_models.completed(ModelInfo("m"), told, running) == ModelInfo("m", window, vision)


@pytest.mark.parametrize(
    ("ps", "windows"),
    [
        ({"models": [{"name": "m:latest", "context_length": 4096}, {"name": "old"}]}, {"m:latest": 4096}),
        ({"models": None}, {}),
        (None, {}),
    ],
)
def test_windows_of_running_models(ps: Any, windows: dict[str, int]) -> None:
    assert ollama_models.windows(ps) == windows


def test_a_model_is_asked_for_by_its_name() -> None:
    assert orjson.loads(ollama_models.show(ModelInfo("m:latest"))) == {"model": "m:latest"}
