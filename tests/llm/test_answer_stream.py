"""The decoder of answers: any split of the bytes gives the same events and the same failure."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.llm.playing import STREAMS as STREAMS_DIR
from tests.llm.playing import recorded

from sidekeep.llm import answer_stream
from sidekeep.llm.answer_stream import AnswerStream
from sidekeep.llm.api.table import APIS
from sidekeep.llm.failures import Failures
from sidekeep.llm.scripted import delta, event
from sidekeep.llm.types import Endpoint, Event, Finished, ReasoningDelta, TextDelta, UsageReport

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


def answer(kind: str = "openai-chat") -> AnswerStream:
    return AnswerStream(Failures(Endpoint(kind, "http://localhost/v1", "small")), APIS[kind].reader())


def decode(*chunks: bytes, kind: str = "openai-chat") -> tuple[list[Event], str | None, bool]:
    stream = answer(kind)
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


RECORDED = [(file.parent.name, file.stem) for file in sorted(STREAMS_DIR.glob("*/*"))]


@pytest.mark.parametrize(("kind", "name"), RECORDED)
@settings(max_examples=25)
@given(cuts=st.lists(st.integers(0, 4000), max_size=8))
def test_any_split_of_a_recording_gives_the_same_answer(kind: str, name: str, cuts: list[int]) -> None:
    stream = recorded(kind, name)
    borders = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(borders)]
    assert decode(*chunks, kind=kind) == decode(stream, kind=kind)


def chat(*texts: str, stop: str = "stop") -> tuple[list[Event], str | None, bool]:
    end = event({"choices": [{"delta": {}, "finish_reason": stop}]})
    return decode(*map(delta, texts), end, DONE)


def test_reasoning_that_a_server_left_in_the_text_is_told_apart() -> None:
    events, _, _ = chat("<th", "ink>\nWhy", "?</think>", "\n\nBecause", ".")
    assert events[:-1] == [ReasoningDelta("Why"), ReasoningDelta("?"), TextDelta("Because"), TextDelta(".")]


def test_reasoning_that_never_ends_is_the_answer_after_all() -> None:
    events, _, done = chat("<think>", "is a tag")
    assert (events[-2], done) == (TextDelta("is a tag"), True)


@pytest.mark.parametrize(
    ("texts", "events"),
    [
        (("a", "<think"), [TextDelta("a"), TextDelta("<think")]),
        (("<thin",), [TextDelta("<thin")]),
        (("<think>Why</th",), [ReasoningDelta("Why"), ReasoningDelta("</th")]),
    ],
    ids=["text", "less than a tag", "reasoning"],
)
def test_what_was_held_back_is_kept_where_the_answer_breaks_off(texts: tuple[str, ...], events: list[Event]) -> None:
    kept, message, _ = decode(*map(delta, texts))
    assert kept == events
    assert message is not None


def test_reasoning_that_the_allowance_cut_off_is_none() -> None:
    events, message, _ = chat("<think>", "Why", stop="length")
    assert events == [ReasoningDelta("Why")]
    assert message == (
        "http://localhost thought and did not answer. Send again, or allow a longer answer in the provider's settings."
    )


def test_a_server_that_tells_reasoning_apart_itself_may_speak_of_tags() -> None:
    thought = event({"choices": [{"delta": {"reasoning_content": "hm"}}]})
    events, _, _ = decode(thought, delta("<think>a</think>b"), DONE)
    assert events == [ReasoningDelta("hm"), TextDelta("<think>a</think>b"), Finished(None)]


@pytest.mark.parametrize("kind", ["anthropic", "gemini", "openai-responses"])
def test_apis_that_tell_reasoning_apart_may_speak_of_tags(kind: str) -> None:
    assert not APIS[kind].reader().think_tags


def test_geminis_list_of_pieces_is_an_answer_too() -> None:
    """Sent by gateways that lose `alt=sse`."""
    pieces = [{"candidates": [{"content": {"parts": [{"text": text}]}}]} for text in ("a", "b")]
    last = {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3}}
    events, _, _ = decode(json.dumps([*pieces, last]).encode(), kind="gemini")
    assert events == [TextDelta("a"), TextDelta("b"), UsageReport(3, 0), Finished("STOP")]


def test_geminis_list_around_an_error_is_an_error() -> None:
    _, message, _ = decode(b'[{"error": {"code": 429, "message": "x"}}]', kind="gemini")
    assert message == "http://localhost takes no more requests for the moment (429). Wait a little, then send again."


def test_events_are_read_from_ollama_too_where_a_gateway_makes_them() -> None:
    line = json.dumps({"message": {"content": "a"}, "done": True})
    assert decode(b"data: " + line.encode() + b"\n\n", kind="ollama")[0] == [TextDelta("a"), Finished("stop")]


def test_an_answer_without_end_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_stream, "MAX_STREAM_BYTES", 10_000)
    stream = answer()
    while stream.failure is None:
        stream.feed(delta("more"))
    assert "without an end" in stream.failure.message


def test_an_answer_longer_than_any_is_dropped_and_what_came_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_stream, "MAX_CHARS", 10_000)
    stream = answer()
    events: list[Event] = []
    while stream.failure is None:
        events += stream.feed(delta("x" * 999))
    assert "without an end" in stream.failure.message
    assert sum(len(event.text) for event in events if isinstance(event, TextDelta)) == 11 * 999


@pytest.mark.parametrize("nothing", [b"\n", b": ping\n\n", b"data: \n\n", b"data: {}\n\n"])
def test_a_stream_that_goes_on_and_says_nothing_is_dropped(monkeypatch: pytest.MonkeyPatch, nothing: bytes) -> None:
    monkeypatch.setattr(answer_stream, "MAX_SILENT_BYTES", 10_000)
    stream = answer()
    for _ in range(30):  # a long answer with long waits is no such stream
        assert stream.feed(nothing * 300 + delta("said")) == [TextDelta("said")]
    assert stream.failure is None
    while stream.failure is None:
        stream.feed(nothing * 300)
    assert "without an end" in stream.failure.message


def test_a_document_without_end_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_stream, "MAX_DOCUMENT_BYTES", 10_000)
    stream = answer()
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
