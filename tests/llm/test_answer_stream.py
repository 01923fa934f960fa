"""The decoder of chat answers: any split of the bytes gives the same events and the same failure."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.llm import answer_stream
from sidekeep.llm.answer_stream import AnswerStream
from sidekeep.llm.api.table import APIS
from sidekeep.llm.failures import Failures
from sidekeep.llm.scripted import delta, event
from sidekeep.llm.types import Endpoint, Event, Finished, TextDelta

DONE = b"data: [DONE]\n\n"
STREAMS = {
    "answer": b"\xef\xbb\xbf" + delta("a\u2028🙂") + delta("b") + DONE,
    "error after text": delta("a") + event({"error": {"message": "x", "code": 500}}) + delta("b"),
    "cut": delta("a") + b'data: {"choices": [{"de',
    "document": b'\n {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}',
    "web page": b"\n <html>",
    "garbage": b"x\ny\n",
    "empty lines first": b"\n\n\n" + delta("a") + DONE,
}


def chat() -> AnswerStream:
    return AnswerStream(Failures(Endpoint("openai-chat", "http://localhost/v1", "small")), APIS["openai-chat"].reader())


def decode(*chunks: bytes) -> tuple[list[Event], str | None, bool]:
    stream = chat()
    events: list[Event] = []
    for chunk in chunks:
        events += stream.feed(chunk)
        if stream.failure or stream.done:
            break
    events += stream.end()
    return events, stream.failure.message if stream.failure else None, stream.done


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS.keys())
@given(cuts=st.lists(st.integers(0, 400), max_size=8))
def test_any_split_gives_the_same_answer(stream: bytes, cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    assert decode(*(stream[start:end] for start, end in pairwise(borders))) == decode(stream)


def test_an_answer_without_end_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_stream, "MAX_STREAM_BYTES", 10_000)
    stream = chat()
    while stream.failure is None:
        stream.feed(delta("more"))
    assert "without an end" in stream.failure.message


def test_a_document_without_end_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_stream, "MAX_DOCUMENT_BYTES", 10_000)
    stream = chat()
    while stream.failure is None:
        stream.feed(b"[" * 1000)
    assert "without an end" in stream.failure.message


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": 5, "reasoning": []}}]},
        {"choices": [{"delta": {"content": [None, {"thinking": "x"}]}}]},
        {"choices": [{"index": 1, "delta": {"content": "other"}}]},
        {"usage": {"prompt_tokens": "5"}},
        {"usage": {"prompt_tokens": -1}},
        {"usage": {"prompt_tokens": True}},
        {"type": "ping"},
        {"error": None, "choices": []},
    ],
    ids=str,
)
def test_members_of_the_wrong_type_count_as_absent(chunk: object) -> None:
    assert decode(event(chunk), delta("a"), DONE) == ([TextDelta("a"), Finished(None)], None, True)


def test_a_refusal_in_its_own_member_is_text() -> None:
    assert decode(event({"choices": [{"delta": {"refusal": "No."}}]}), DONE)[0][0] == TextDelta("No.")


def test_a_finish_reason_that_says_error_is_a_failure() -> None:
    events, message, _ = decode(delta("a"), event({"choices": [{"delta": {}, "finish_reason": "error"}]}), DONE)
    assert events == [TextDelta("a")]
    assert message == "http://localhost broke off with an error of its own."
