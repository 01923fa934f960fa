"""What every ProviderClient does for every kind of provider: the real one against a real server, and the scripted one."""

import asyncio
from dataclasses import replace

import pytest
from tests.llm.conftest import KEY, WAIT_S
from tests.llm.playing import (
    BODY,
    STREAMS,
    Implementation,
    collect,
    collect_failing,
    opened,
    pieces,
    reasoning_of,
    recorded,
    text_of,
)

from sidekeep.domain.providers import KINDS, OFFLINE
from sidekeep.llm.scripted import Gate, Reply, document, refuses
from sidekeep.llm.types import Finished, TextDelta, UsageReport

pytestmark = pytest.mark.anyio

TEXT = "Hello, wörld 🙂\u2028!"
USAGE = UsageReport(21, 7, 16, 0)
# The words differ, and not every API counts or has all of it.
ENDS = {
    "openai-chat": ("stop", "length"),
    "openai-responses": ("completed", "max_output_tokens"),
    "anthropic": ("end_turn", "max_tokens"),
    "gemini": ("STOP", "MAX_TOKENS"),
    "ollama": ("stop", "length"),
}
SPOILED = {
    ("openai-chat", "overflow"): ("overflow", "model_context_window_exceeded"),
    ("anthropic", "overflow"): ("overflow", "model_context_window_exceeded"),
    ("openai-chat", "filtered"): ("content_filter", "content_filter"),
    ("openai-responses", "filtered"): ("content_filter", "content_filter"),
    ("anthropic", "filtered"): ("content_filter", "refusal"),
    ("gemini", "filtered"): ("content_filter", "SAFETY"),
}
ERRORS = {
    "openai-chat": ("server", 502),
    "openai-responses": ("server", 500),
    "anthropic": ("server", 529),
    "gemini": ("server", 503),
    "ollama": ("other", 200),
}


@pytest.fixture(params=ENDS)
def kind(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def counted(kind: str, usage: UsageReport) -> UsageReport:
    """The usage as this kind of provider tells it: Ollama never counts reasoning, OpenAI also where there is none."""
    told = kind.startswith("openai") or (kind != "ollama" and usage.reasoning_tokens)
    return usage if told else replace(usage, reasoning_tokens=None)


def stream(kind: str, name: str) -> Reply:
    return Reply((recorded(kind, name),))


def test_there_are_recordings_of_every_kind() -> None:
    assert {folder.name for folder in STREAMS.iterdir()} == set(ENDS) == set(KINDS) - {OFFLINE}


async def test_an_answer_streams_and_is_finished_once(playing: Implementation, kind: str) -> None:
    async with playing(stream(kind, "answer")) as setting:
        *events, usage, finished = await collect(setting)
    assert events == [TextDelta("Hel"), TextDelta("lo, wörld"), TextDelta(" 🙂\u2028!")]
    assert usage == counted(kind, USAGE)
    assert finished == Finished(ENDS[kind][0])


async def test_reasoning_is_told_apart_from_the_answer(playing: Implementation, kind: str) -> None:
    async with playing(stream(kind, "reasoning")) as setting:
        events = await collect(setting)
    assert (reasoning_of(events), text_of(events)) == ("Let me think.", TEXT)
    assert events[-2] == counted(kind, UsageReport(21, 19, 16, 12))


async def test_an_answer_that_its_allowance_ended_says_so(playing: Implementation, kind: str) -> None:
    async with playing(stream(kind, "capped")) as setting:
        events = await collect(setting)
    assert text_of(events) == TEXT
    assert events[-1] == Finished(ENDS[kind][1], capped=True)


@pytest.mark.parametrize(("kind", "name"), SPOILED)
async def test_a_stop_reason_that_spoils_the_answer_is_a_failure_after_text_and_usage(
    playing: Implementation, kind: str, name: str
) -> None:
    async with playing(stream(kind, name)) as setting:
        events, failure = await collect_failing(setting)
    verdict, word = SPOILED[kind, name]
    assert text_of(events) == TEXT
    assert isinstance(events[-1], UsageReport)
    assert (failure.verdict, failure.stop_reason, failure.delivered) == (verdict, word, "stop-reason")
    assert failure.body == b'{"finish_reason": "%s"}' % word.encode()


async def test_an_error_after_some_text_fails_after_the_text(playing: Implementation, kind: str) -> None:
    async with playing(Reply((recorded(kind, "error-after-text"),), ending="hang")) as setting:
        events, failure = await collect_failing(setting)
    assert text_of(events) == TEXT
    assert (failure.verdict, failure.status) == ERRORS[kind]
    assert failure.delivered == "stream-error"
    assert failure.provider_message == "The upstream provider failed."
    assert b"Be brief." not in failure.body  # OpenAI's last event has the instructions in it


async def test_an_error_before_the_first_word_is_one_too(playing: Implementation, kind: str) -> None:
    async with playing(stream(kind, "error")) as setting:
        events, failure = await collect_failing(setting)
    assert events == []
    assert (failure.verdict, failure.status) == ERRORS[kind]
    assert failure.delivered == ("in-200" if kind == "ollama" else "stream-error")


async def test_an_error_object_in_a_200_is_a_failure(playing: Implementation, kind: str) -> None:
    async with playing(document({"error": {"message": "Input too long", "code": 400}})) as setting:
        events, failure = await collect_failing(setting)
    assert events == []
    assert (failure.delivered, failure.status, failure.provider_message) == ("in-200", 400, "Input too long")


async def test_an_answer_without_a_word_is_a_failure(playing: Implementation, kind: str) -> None:
    async with playing(stream(kind, "empty")) as setting:
        events, failure = await collect_failing(setting)
    assert text_of(events) == ""
    assert (failure.verdict, failure.delivered, failure.status) == ("bad_response", "in-200", 200)
    assert "answered with nothing" in failure.message


@pytest.mark.parametrize("ending", ["cut", "close"])
async def test_an_answer_that_breaks_off_fails_after_its_text(playing: Implementation, kind: str, ending: str) -> None:
    begun, rest = halves(kind)
    reply = Reply((begun, rest[:40]), ending="cut" if ending == "cut" else "close")
    async with playing(reply) as setting:
        events, failure = await collect_failing(setting)
    assert text_of(events) == "Hel"
    assert (failure.verdict, failure.delivered) == ("bad_response", "stream-error")
    assert "broke off in the middle of the answer" in failure.message


@pytest.mark.parametrize(
    "reply",
    [
        Reply((b"<!doctype html><title>Sign in</title>",), content_type="text/html"),
        Reply((b"<html>",), ending="hang"),
        Reply((b"data: [1, 2]\n\n",), ending="hang"),
        Reply((b"hello there\n",)),
        Reply(()),
        Reply((b'{"choices": [',), ending="cut"),
        Reply((b"{'a': 1}\n",)),
        document({"object": "list", "data": []}),
    ],
    ids=[
        "web page",
        "web page that hangs",
        "list",
        "plain text",
        "nothing",
        "cut document",
        "no JSON",
        "other document",
    ],
)
async def test_garbage_is_named_as_such(playing: Implementation, reply: Reply) -> None:
    async with playing(reply) as setting:
        events, failure = await collect_failing(setting)
    assert events == []
    assert failure.verdict == "bad_response"
    assert failure.message.startswith("http://127.0.0.1:")


async def test_the_body_goes_out_byte_for_byte(playing: Implementation, kind: str) -> None:
    async with playing(stream(kind, "answer")) as setting:
        await collect(setting)
        assert setting.bodies() == [BODY]


async def test_deltas_come_before_the_answer_is_complete(playing: Implementation, kind: str) -> None:
    gate = Gate()
    begun, rest = halves(kind)
    async with asyncio.timeout(WAIT_S), playing(Reply((begun, gate, rest))) as setting, opened(setting) as events:
        assert await anext(events) == TextDelta("Hel")
        gate.open()
        assert await anext(events) == TextDelta("lo, wörld")


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
        (529, "server", "of its own"),
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
    assert failure.retry_after_s is None
    assert hint in failure.message
    assert "own words" not in failure.message


async def test_how_long_to_wait_is_passed_on(playing: Implementation) -> None:
    reply = refuses(429, "slow down")
    reply.headers["Retry-After"] = "7"
    async with playing(reply) as setting:
        _, failure = await collect_failing(setting)
    assert failure.retry_after_s == 7


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


async def test_cancelling_the_reader_drops_the_connection_at_once(playing: Implementation, kind: str) -> None:
    reply = Reply((halves(kind)[0],), ending="hang")
    async with playing(reply) as setting:
        began = asyncio.Event()

        async def read() -> None:
            async for _ in setting.client.stream(setting.endpoint, BODY):
                began.set()

        reading = asyncio.create_task(read())
        async with asyncio.timeout(WAIT_S):
            await began.wait()
            await cancelled(reading)
            await reply.dropped.wait()


async def test_cancelling_before_the_first_byte_drops_the_connection_at_once(playing: Implementation) -> None:
    gate = Gate()
    reply = Reply((gate,))
    async with playing(reply) as setting:
        reading = asyncio.create_task(collect(setting))
        async with asyncio.timeout(WAIT_S):
            await gate.reached.wait()
            await cancelled(reading)
            await reply.dropped.wait()


async def test_closing_the_generator_drops_the_connection_at_once(playing: Implementation, kind: str) -> None:
    reply = Reply((halves(kind)[0],), ending="hang")
    async with playing(reply) as setting, asyncio.timeout(WAIT_S):
        async with opened(setting) as events:
            assert await anext(events) == TextDelta("Hel")
        await reply.dropped.wait()


@pytest.mark.parametrize("kind", sorted(set(ENDS) - {"gemini"}))  # whose end is the body's
async def test_after_its_end_the_rest_of_the_connection_is_not_waited_for(playing: Implementation, kind: str) -> None:
    async with playing(Reply((recorded(kind, "answer"),), ending="hang")) as setting:
        assert (await collect(setting))[-1] == Finished(ENDS[kind][0])


def halves(kind: str) -> tuple[bytes, bytes]:
    """A recorded answer up to its first word, and the rest."""
    events = pieces(kind, "answer")
    first = next(at for at, event in enumerate(events) if b"Hel" in event)
    return b"".join(events[: first + 1]), b"".join(events[first + 1 :])


async def cancelled(reading: "asyncio.Task[object]") -> None:
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
