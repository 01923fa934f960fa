"""OpenAI-compatible answers, in the ways that servers differ: the real client against a real server, and the scripted one."""

import pytest
from tests.llm.playing import Implementation, collect, collect_failing, text_of

from sidekeep.llm.scripted import Reply, breaks_off, delta, document, event, says
from sidekeep.llm.types import Finished, ReasoningDelta, TextDelta, UsageReport

pytestmark = pytest.mark.anyio


async def test_reasoning_is_told_apart_from_the_answer(playing: Implementation) -> None:
    thoughts = [
        {"reasoning_content": "a", "content": None},
        {"reasoning": "b", "reasoning_content": "b"},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "c"}]}]},
        {"content": [{"type": "text", "text": "d"}]},
    ]
    chunks = [event({"choices": [{"delta": thought}]}) for thought in thoughts]
    async with playing(Reply((*chunks, b"data: [DONE]\n\n"))) as setting:
        events = await collect(setting)
    assert events == [ReasoningDelta("a"), ReasoningDelta("b"), ReasoningDelta("c"), TextDelta("d"), Finished(None)]


async def test_usage_in_a_last_chunk_without_choices_comes_before_the_end(playing: Implementation) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    async with playing(says("a", usage=usage)) as setting:
        assert await collect(setting) == [TextDelta("a"), UsageReport(9, 2, 4), Finished("stop")]


async def test_of_running_usage_only_the_last_counts(playing: Implementation) -> None:
    chunks = [
        event({"choices": [{"delta": {"content": "a"}}], "usage": {"prompt_tokens": 9, "completion_tokens": n}})
        for n in (1, 2)
    ]
    async with playing(Reply((*chunks, event({"choices": [], "usage": None}), b"data: [DONE]\n\n"))) as setting:
        assert await collect(setting) == [TextDelta("a"), TextDelta("a"), UsageReport(9, 2), Finished(None)]


@pytest.mark.parametrize(("reason", "capped"), [("stop", False), ("tool_calls", False), ("length", True)])
async def test_the_finish_reason_is_passed_on(playing: Implementation, reason: str, capped: bool) -> None:
    async with playing(says("a", reason=reason)) as setting:
        assert (await collect(setting))[-1] == Finished(reason, capped)


@pytest.mark.parametrize(
    ("reason", "verdict"),
    [("model_context_window_exceeded", "overflow"), ("model_length", "overflow"), ("content_filter", "content_filter")],
)
async def test_a_finish_reason_that_spoils_the_answer_is_a_failure_after_its_deltas_and_usage(
    playing: Implementation, reason: str, verdict: str
) -> None:
    async with playing(says("a", reason=reason, usage={"prompt_tokens": 9, "completion_tokens": 1})) as setting:
        events, failure = await collect_failing(setting)
    assert events == [TextDelta("a"), UsageReport(9, 1)]
    assert (failure.verdict, failure.delivered, failure.stop_reason) == (verdict, "stop-reason", reason)


@pytest.mark.parametrize(
    ("reply", "verdict", "delivered"),
    [
        (Reply((b"data: [DONE]\n\n",)), "bad_response", "in-200"),
        (says(reason="stop"), "bad_response", "in-200"),
        (says(reason="length"), "bad_response", "stop-reason"),
        (document({"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}), "bad_response", "in-200"),
    ],
    ids=["[DONE] alone", "stopped at once", "no room for a word", "empty document"],
)
async def test_an_answer_without_a_word_is_a_failure(
    playing: Implementation, reply: Reply, verdict: str, delivered: str
) -> None:
    async with playing(reply) as setting:
        events, failure = await collect_failing(setting)
    assert events == []
    assert (failure.verdict, failure.delivered, failure.status) == (verdict, delivered, 200)


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        ((b"data: [DONE]",), None),
        ((event({"choices": [{"delta": {}, "finish_reason": "stop"}]}),), "stop"),
        ((b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',), "stop"),
    ],
    ids=["no blank line after [DONE]", "no [DONE]", "no blank line after the last chunk"],
)
async def test_a_sloppy_end_is_an_end(playing: Implementation, tail: tuple[bytes, ...], reason: str | None) -> None:
    async with playing(Reply((delta("a"), *tail))) as setting:
        assert await collect(setting) == [TextDelta("a"), Finished(reason)]


async def test_a_connection_cut_after_the_finish_reason_is_an_end(playing: Implementation) -> None:
    finish = event({"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]})
    async with playing(Reply((finish,), ending="cut")) as setting:
        assert await collect(setting) == [TextDelta("a"), Finished("stop")]


@pytest.mark.parametrize(
    ("reply", "how"),
    [
        (breaks_off("Hel", "lo"), "the connection was cut"),
        (Reply((delta("Hel"), delta("lo"))), "it ended without its last event"),
        (Reply((delta("Hel"), delta("lo"), b'data: {"choices":[{"del'), ending="cut"), "the connection was cut"),
    ],
    ids=["cut", "ended without [DONE] or a finish reason", "cut within an event"],
)
async def test_an_answer_that_breaks_off_fails_after_its_deltas(
    playing: Implementation, reply: Reply, how: str
) -> None:
    async with playing(reply) as setting:
        events, failure = await collect_failing(setting)
    assert text_of(events) == "Hello"
    assert (failure.verdict, failure.delivered) == ("bad_response", "stream-error")
    assert f"broke off in the middle of the answer: {how}. Send again." in failure.message


@pytest.mark.parametrize(
    ("error", "verdict", "status", "words"),
    [
        ({"message": "too many", "code": 429}, "rate_limit", 429, "too many"),
        ({"message": "overloaded", "code": "502"}, "server", 502, "overloaded"),
        ("first 9000 tokens do not fit", "other", 200, "first 9000 tokens do not fit"),
        ({"message": "no", "metadata": {"raw": "upstream says no"}}, "other", 200, "no: upstream says no"),
    ],
    ids=["number", "digits", "bare string", "upstream's words"],
)
async def test_an_error_event_after_some_text_fails_after_its_deltas(
    playing: Implementation, error: object, verdict: str, status: int, words: str
) -> None:
    # One piece: the text and the error come out of the same network read.
    async with playing(Reply((delta("Hel") + event({"error": error}) + delta("never"),), ending="hang")) as setting:
        events, failure = await collect_failing(setting)
    assert events == [TextDelta("Hel")]
    assert (failure.verdict, failure.status, failure.delivered) == (verdict, status, "stream-error")
    assert failure.provider_message == words


async def test_an_event_named_error_is_one(playing: Implementation) -> None:
    async with playing(Reply((b'event: error\ndata: {"message": "out of memory"}\n\n',))) as setting:
        _, failure = await collect_failing(setting)
    assert (failure.delivered, failure.provider_message) == ("stream-error", "out of memory")


async def test_a_bare_error_line_in_a_stream_is_reported_when_it_ends(playing: Implementation) -> None:
    async with playing(Reply((delta("a"), b'error: {"code": 500}\n\n'), ending="cut")) as setting:
        events, failure = await collect_failing(setting)
    assert events == [TextDelta("a")]
    assert failure.provider_message == 'error: {"code": 500}'


async def test_an_error_object_in_a_200_is_a_failure(playing: Implementation) -> None:
    async with playing(document({"error": {"message": "Input too long", "code": 400}})) as setting:
        _, failure = await collect_failing(setting)
    assert (failure.delivered, failure.status, failure.provider_message) == ("in-200", 400, "Input too long")


async def test_one_json_document_is_an_answer_too(playing: Implementation) -> None:
    message = {"role": "assistant", "content": "Hello", "reasoning_content": "hm"}
    reply = document(
        {
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 2},
        }
    )
    async with playing(reply) as setting:
        events = await collect(setting)
    assert events == [ReasoningDelta("hm"), TextDelta("Hello"), UsageReport(1, 2), Finished("stop")]


async def test_a_character_halved_between_two_deltas_is_put_together(playing: Implementation) -> None:
    halves = [
        b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n',
        b'data: {"choices":[{"delta":{"content":"\\ude42b"}}]}\n\n',
    ]
    lone = b'data: {"choices":[{"delta":{"content":"\\udc00c\\ud83d"}}]}\n\n'
    async with playing(Reply((*halves, lone, b"data: [DONE]\n\n"))) as setting:
        events = await collect(setting)
    assert text_of(events) == "a🙂b\ufffdc\ufffd"


@pytest.mark.parametrize(
    "reply",
    [
        Reply((b"data: <html>\n\n",), ending="hang"),
        Reply((b'data: {"choices":\0}\n\n',), ending="hang"),
        Reply((bytes(range(256)) * 64,)),
        Reply((b"\xff\xfe\n" * 40_000,), ending="hang"),
        Reply((b"  \n",)),
        document([1]),
        Reply((b'{"a":1}\n{"a":2}\n',), content_type="application/x-ndjson"),
        Reply((b"[" * 5000,), content_type="application/json"),
    ],
    ids=[
        "web page in an event",
        "NUL in an event",
        "every byte",
        "endless lines of invalid UTF-8",
        "white space",
        "list",
        "one document a line",
        "nested too deeply",
    ],
)
async def test_garbage_is_named_as_such(playing: Implementation, reply: Reply) -> None:
    async with playing(reply) as setting:
        events, failure = await collect_failing(setting)
    assert events == []
    assert failure.verdict == "bad_response"
    assert failure.message.startswith("http://127.0.0.1:")


async def test_an_event_without_end_is_dropped(playing: Implementation) -> None:
    async with playing(Reply((b"data: ", *[b"a" * 1_000_000] * 9), ending="hang")) as setting:
        _, failure = await collect_failing(setting)
    assert failure.verdict == "bad_response"
    assert "longer than 8388608 bytes" in failure.message
