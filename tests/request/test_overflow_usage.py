"""Answers whose usage shows that the server cut the request without a word."""

from dataclasses import dataclass

import pytest

from sidekeep.request.overflow import check_usage


@dataclass(frozen=True)
class Usage:
    prompt_tokens: int
    completion_tokens: int = 100


@pytest.mark.parametrize(
    ("estimated", "usage", "window", "limit"),
    [
        pytest.param(9000, Usage(4096), 4096, 4096, id="Ollama reads a whole window"),
        pytest.param(70000, Usage(32770), 65536, 65536, id="Ollama reads half a window and two"),
        pytest.param(9000, Usage(2048), 131072, None, id="a window far smaller than we knew"),
        pytest.param(9000, Usage(2048), None, None, id="a window nobody knows"),
        pytest.param(9000, 2048, None, None, id="the prompt's count alone"),
        pytest.param(8000, Usage(8190, 0), 8192, 8192, id="a full window and not one word of an answer"),
        pytest.param(8000, Usage(9000), 8192, 8192, id="more counted than the window holds"),
    ],
)
def test_a_cut_prompt_is_noticed(estimated: int, usage: Usage | int, window: int | None, limit: int | None) -> None:
    verdict = check_usage(estimated, usage, window)
    assert verdict is not None
    assert (verdict.kind, verdict.limit_tokens) == ("overflow", limit)
    read = usage if isinstance(usage, int) else usage.prompt_tokens
    assert verdict.requested_tokens == max(estimated, read)


@pytest.mark.parametrize(
    ("estimated", "usage", "window"),
    [
        pytest.param(9000, None, 8192, id="no usage"),
        pytest.param(9000, Usage(0, 0), 8192, id="a usage of nothing"),
        pytest.param(3000, Usage(2900), 8192, id="as estimated"),
        pytest.param(3000, Usage(1700), 8192, id="an estimate that is off"),
        pytest.param(400, Usage(20), 8192, id="too small to tell"),
        pytest.param(4000, Usage(4098), 8192, id="half a window and two that was no more"),
        pytest.param(9000, Usage(7000), None, id="no window and an estimate that is off"),
    ],
)
def test_an_honest_usage_is_none(estimated: int, usage: Usage | None, window: int | None) -> None:
    assert check_usage(estimated, usage, window) is None
