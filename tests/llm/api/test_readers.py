"""The readers of every API: what has the wrong type counts as absent, whatever a server sends."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.llm.playing import STREAMS, pieces

from sidekeep.llm.api.table import APIS
from sidekeep.llm.json_members import parse_json
from sidekeep.llm.piece import Piece
from sidekeep.llm.types import UsageReport

ODD: st.SearchStrategy[Any] = st.sampled_from([None, True, -1, 1.5, "x", [], {}, [None], [[]], {"a": 1}, 2**70])


def recordings(kind: str) -> list[dict[str, Any]]:
    """Every event of every recording."""
    names = [file.stem for file in sorted((STREAMS / kind).iterdir())]
    lines = [line for name in names for piece in pieces(kind, name) for line in piece.decode().split("\n")]
    found = [line.removeprefix("data: ") for line in lines if line.startswith(("data: {", "{"))]
    return [parse_json(text) for text in found]


def spoiled(value: Any, odd: Any, at: int) -> tuple[Any, int]:
    """`value` with its `at`th member replaced."""
    if at == 0:
        return odd, -1
    at -= 1
    if isinstance(value, dict):
        members = {}
        for name, member in value.items():
            members[name], at = spoiled(member, odd, at) if at >= 0 else (member, at)
        return members, at
    if isinstance(value, list):
        items = []
        for item in value:
            new, at = spoiled(item, odd, at) if at >= 0 else (item, at)
            items.append(new)
        return items, at
    return value, at


@pytest.mark.parametrize("kind", sorted(set(APIS) - {"offline"}))
@given(data=st.data(), odd=ODD, at=st.integers(1, 60))
def test_members_of_the_wrong_type_count_as_absent(kind: str, data: st.DataObject, odd: Any, at: int) -> None:
    event = data.draw(st.sampled_from(recordings(kind)))
    value, _ = spoiled(event, odd, at)
    reader = APIS[kind].reader()
    for piece in (reader.read(value), reader.whole(value)):
        assert piece is None or isinstance(piece, Piece)
        if piece is not None:
            assert isinstance(piece.text, str)
            assert isinstance(piece.reasoning, str)
            assert isinstance(piece.stop, str)
            assert piece.usage is None or isinstance(piece.usage.prompt_tokens, int)


WHOLE: dict[str, tuple[dict[str, Any], str]] = {
    "openai-responses": (
        {
            "status": "completed",
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                {"type": "message", "content": [{"type": "output_text", "text": "Hello"}]},
            ],
            "usage": {"input_tokens": 1, "output_tokens": 2},
        },
        "completed",
    ),
    "anthropic": (
        {
            "type": "message",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hello"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 2},
        },
        "end_turn",
    ),
    "gemini": (
        {
            "candidates": [
                {"content": {"parts": [{"text": "hm", "thought": True}, {"text": "Hello"}]}, "finishReason": "STOP"}
            ],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2},
        },
        "STOP",
    ),
    "ollama": (
        {
            "message": {"content": "Hello", "thinking": "hm"},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 1,
            "eval_count": 2,
        },
        "stop",
    ),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_an_answer_that_comes_as_one_document_is_read_too(kind: str) -> None:
    value, stop = WHOLE[kind]
    piece = APIS[kind].reader().whole(value)
    assert piece is not None
    assert (piece.text, piece.reasoning, piece.usage, piece.stop) == ("Hello", "hm", UsageReport(1, 2), stop)


@pytest.mark.parametrize("kind", APIS)
def test_another_document_is_no_answer(kind: str) -> None:
    assert APIS[kind].reader().whole({"object": "list", "data": []}) is None


def test_a_prompt_that_gemini_blocks_has_its_reason_for_a_stop_reason() -> None:
    (event,) = [value for value in recordings("gemini") if "promptFeedback" in value]
    assert APIS["gemini"].reader().read(event).stop == "PROHIBITED_CONTENT"


def test_ollamas_count_of_an_answer_without_its_prompt_is_no_usage() -> None:
    assert APIS["ollama"].reader().read({"done": True, "eval_count": 5}).usage is None
