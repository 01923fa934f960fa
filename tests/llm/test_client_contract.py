"""What every ProviderClient does, shown on the real one against a real server and on the scripted one alike."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass

import pytest
from tests.llm.conftest import KEY, WAIT_S, scripted_server

from sidekeep.errors import ProviderFailed
from sidekeep.llm.client import ModelClient
from sidekeep.llm.scripted import (
    Gate,
    Reply,
    ScriptedClient,
    breaks_off,
    delta,
    document,
    event,
    hangs,
    refuses,
    says,
)
from sidekeep.llm.types import Endpoint, Event, Finished, ProviderClient, ReasoningDelta, TextDelta, UsageReport

pytestmark = pytest.mark.anyio

BODY = b'{"model": "small",  "messages": []}'


@dataclass
class Setting:
    client: ProviderClient
    endpoint: Endpoint
    bodies: Callable[[], list[bytes]]


@asynccontextmanager
async def over_http(*replies: Reply) -> AsyncIterator[Setting]:
    async with scripted_server(*replies) as server:
        client = ModelClient()
        yield Setting(client, server.endpoint(), lambda: [request.body for request in server.received])
        await client.aclose()


@asynccontextmanager
async def scripted(*replies: Reply) -> AsyncIterator[Setting]:
    client = ScriptedClient(replies)
    endpoint = Endpoint("openai-chat", "http://127.0.0.1:9/v1", "small", KEY)
    yield Setting(client, endpoint, lambda: [request.body for request in client.requests])
    await client.aclose()


Implementation = Callable[..., AbstractAsyncContextManager[Setting]]


@pytest.fixture(params=[over_http, scripted], ids=["real client", "scripted client"])
def playing(request: pytest.FixtureRequest) -> Implementation:
    implementation: Implementation = request.param
    return implementation


async def collect(setting: Setting) -> list[Event]:
    async with asyncio.timeout(WAIT_S):
        return [event async for event in setting.client.stream(setting.endpoint, BODY)]


async def collect_failing(setting: Setting) -> tuple[list[Event], ProviderFailed]:
    events: list[Event] = []
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(ProviderFailed) as caught:
            await gather(setting, events)
    return events, caught.value


async def gather(setting: Setting, events: list[Event]) -> None:
    """A list comprehension would lose what came before the failure."""
    async for received in setting.client.stream(setting.endpoint, BODY):
        events.append(received)  # noqa: PERF401


def opened(setting: Setting) -> aclosing[AsyncGenerator[Event, None]]:
    stream = setting.client.stream(setting.endpoint, BODY)
    assert isinstance(stream, AsyncGenerator)
    return aclosing(stream)


def text_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_an_answer_streams_and_is_finished_once(playing: Implementation) -> None:
    async with playing(says("Hel", "lo ", "wörld 🙂\u2028!")) as setting:
        events = await collect(setting)
    assert events == [TextDelta("Hel"), TextDelta("lo "), TextDelta("wörld 🙂\u2028!"), Finished("stop")]


async def test_the_body_goes_out_byte_for_byte(playing: Implementation) -> None:
    async with playing(says("a")) as setting:
        await collect(setting)
        assert setting.bodies() == [BODY]


async def test_deltas_come_before_the_answer_is_complete(playing: Implementation) -> None:
    gate = Gate()
    reply = Reply((delta("first"), gate, delta("second"), b"data: [DONE]\n\n"))
    async with asyncio.timeout(WAIT_S), playing(reply) as setting, opened(setting) as events:
        assert await anext(events) == TextDelta("first")
        gate.open()
        assert await anext(events) == TextDelta("second")


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
        Reply((b"<!doctype html><title>Sign in</title>",), content_type="text/html"),
        Reply((b"<html>",), ending="hang"),
        Reply((b"data: <html>\n\n",), ending="hang"),
        Reply((b"data: [1, 2]\n\n",), ending="hang"),
        Reply((b'data: {"choices":\0}\n\n',), ending="hang"),
        Reply((b"hello there\n",)),
        Reply((bytes(range(256)) * 64,)),
        Reply((b"\xff\xfe\n" * 40_000,), ending="hang"),
        Reply(()),
        Reply((b"  \n",)),
        Reply((b'{"choices": [',), ending="cut"),
        document({"object": "list", "data": []}),
        document([1]),
        Reply((b'{"a":1}\n{"a":2}\n',), content_type="application/x-ndjson"),
        Reply((b"[" * 5000,), content_type="application/json"),
    ],
    ids=[
        "web page",
        "web page that hangs",
        "web page in an event",
        "list in an event",
        "NUL in an event",
        "plain text",
        "every byte",
        "endless lines of invalid UTF-8",
        "nothing",
        "white space",
        "cut document",
        "another document",
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


@pytest.mark.parametrize(
    ("status", "verdict", "hint"),
    [
        (400, "other", "refused the request"),
        (401, "auth", "Check the key"),
        (403, "auth", "Check the key"),
        (402, "quota", "no credit left"),
        (404, "other", "base URL"),
        (413, "payload_bytes", "too large"),
        (422, "other", "refused the request"),
        (429, "rate_limit", "Wait a little"),
        (500, "server", "of its own"),
        (503, "server", "of its own"),
    ],
)
async def test_a_refusal_has_a_verdict_and_a_plain_sentence(
    playing: Implementation, status: int, verdict: str, hint: str
) -> None:
    async with playing(refuses(status, "the server's own words", type="x")) as setting:
        _, failure = await collect_failing(setting)
    assert (failure.status, failure.verdict, failure.delivered) == (status, verdict, "http-error")
    assert failure.provider_message == "the server's own words"
    assert failure.body == b'{"error": {"message": "the server\'s own words", "type": "x"}}'
    assert hint in failure.message
    assert "own words" not in failure.message


async def test_the_key_is_taken_out_of_everything_a_failure_carries(playing: Implementation) -> None:
    async with playing(refuses(401, f"Incorrect key {KEY}", echo=KEY)) as setting:
        _, failure = await collect_failing(setting)
    carried = repr((failure.message, failure.provider_message, failure.body, failure.data, failure))
    assert failure.provider_message == "Incorrect key [API key]"
    assert KEY not in carried


async def test_long_words_are_kept_up_to_their_limits(playing: Implementation) -> None:
    async with playing(Reply((b"x" * 1_500_000,), status=400, content_type="text/plain")) as setting:
        _, failure = await collect_failing(setting)
    assert (len(failure.provider_message), len(failure.body)) == (65_536, 1_048_576)


async def test_cancelling_the_reader_drops_the_connection_at_once(playing: Implementation) -> None:
    reply = hangs("a")
    async with playing(reply) as setting:
        began = asyncio.Event()

        async def read() -> None:
            async for _ in setting.client.stream(setting.endpoint, BODY):
                began.set()

        reading = asyncio.create_task(read())
        async with asyncio.timeout(WAIT_S):
            await began.wait()
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
            await reply.dropped.wait()


async def test_cancelling_before_the_first_byte_drops_the_connection_at_once(playing: Implementation) -> None:
    gate = Gate()
    reply = Reply((gate,))
    async with playing(reply) as setting:
        reading = asyncio.create_task(collect(setting))
        async with asyncio.timeout(WAIT_S):
            await gate.reached.wait()
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
            await reply.dropped.wait()


async def test_closing_the_generator_drops_the_connection_at_once(playing: Implementation) -> None:
    reply = hangs("a")
    async with playing(reply) as setting, asyncio.timeout(WAIT_S):
        async with opened(setting) as events:
            assert await anext(events) == TextDelta("a")
        await reply.dropped.wait()


async def test_after_done_the_rest_of_the_connection_is_not_waited_for(playing: Implementation) -> None:
    async with playing(Reply((delta("a"), b"data: [DONE]\n\n", delta("b")), ending="hang")) as setting:
        assert await collect(setting) == [TextDelta("a"), Finished(None)]
