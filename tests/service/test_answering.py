"""The requests of one turn: one rescue, two retries, one continuation, and nothing twice before a person's eyes."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import TOO_LONG, Asking, begins_then_overflows, capped, too_long
from tests.support.killed import killed_at
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, chat_ids, chat_texts, live_messages, open_services, plain, say, ticking_clock

from sidekeep.domain import attachment
from sidekeep.errors import RequestRefused
from sidekeep.llm.scripted import Reply, ScriptedClient, breaks_off, delta, event, refuses, says
from sidekeep.request.build import Report
from sidekeep.service.refusals import Refusals, Sizes
from sidekeep.service.running import TurnDelta, TurnDone, TurnFailed, TurnStarted
from sidekeep.service.services import Services
from sidekeep.service.turn_store import Left, Question, TurnStore

pytestmark = pytest.mark.anyio

BODY = "long words " * 2_727  # some 30,000 characters


@pytest.fixture
def asking(services: Services, client: ScriptedClient) -> Asking:
    asking = Asking(services, client)
    asking.knows(window=200_000)
    return asking


def page(name: str, body: str = BODY) -> dict[str, Any]:
    text = attachment.render(url="https://e.org/p", title=name, mode="full", text=body)
    return say(text, attachId=name)


async def test_an_overflow_is_rescued_and_storage_keeps_the_shorter_attachment_after_the_answer(asking: Asking) -> None:
    asking.has([page("A")])
    stored_then: list[Any] = []
    asking.client._on_request = lambda _: stored_then.append(asking.stored())
    done = await asking.ask("What is it?", too_long(8192, 9000), says("A page."))
    assert isinstance(done, TurnDone)
    assert done.rescued
    assert len(asking.client.requests) == 2
    assert "What is it?" in asking.sent_text(1)
    assert len(asking.sent_text(1)) < len(asking.sent_text(0))
    assert [messages[0]["content"] for messages in stored_then] == [page("A")["content"]] * 2, (
        "before the answer: untouched"
    )
    shortened, _, answer = asking.stored()
    assert len(shortened["content"]) < len(page("A")["content"])
    assert (shortened["rescued"], answer["rescued"]) == (True, True)
    assert chat_texts(asking.services, chat_ids(asking.services)[0])[0] == shortened["content"]
    assert asking.services.attachments.get(OWN, "A").text == page("A")["content"]
    asking.services.attachments.restore(OWN, "A")
    assert asking.stored()[0]["content"] == page("A")["content"]


async def test_a_rescue_is_told_once_with_what_it_left_out(asking: Asking) -> None:
    asking.has([page("A")])
    await asking.ask("?", too_long(8192, 9000), says("ok"))
    (status,) = asking.statuses
    assert status.kind == "rescued"
    assert plain(status.detail) == {
        "verdict": "overflow",
        "limitTokens": 8192,
        "shortened": [{"attachId": "A", "chars": status.detail["shortened"][0]["chars"]}],
        "messagesDropped": 0,
        "imagesDropped": 0,
    }


async def test_a_turn_that_fails_again_leaves_every_byte_as_it_was(asking: Asking) -> None:
    asking.has([page("A"), say("q1"), say("a1", role="assistant")])
    before = asking.services.area.get(OWN, ("history",))
    failed = await asking.ask("q2", TOO_LONG, TOO_LONG)
    assert isinstance(failed, TurnFailed)
    assert failed.error.data["verdict"] == "overflow"
    assert len(asking.client.requests) == 2
    asking.services.conversation.remove(OWN, asking.stored()[-1]["id"])
    assert asking.services.area.get(OWN, ("history",)) == before


async def test_what_was_refused_twice_is_not_sent_whole_again(asking: Asking) -> None:
    asking.has([page("A")])
    await asking.ask("q1", TOO_LONG, TOO_LONG)
    assert isinstance(await asking.ask("q2", says("ok")), TurnDone)
    assert len(asking.sent_text(2)) < len(asking.sent_text(0)) * 0.7
    assert "q2" in asking.sent_text(2)


async def test_a_question_too_large_itself_poisons_no_turn_after_it(asking: Asking) -> None:
    failed = await asking.ask("w " * 100_000, TOO_LONG)
    assert isinstance(failed, TurnFailed)
    assert isinstance(await asking.ask("short question", says("ok")), TurnDone)
    assert len(asking.client.requests) == 2
    assert len(asking.sent_text()) < 1_000


async def test_the_window_of_an_error_counts_for_the_next_question(asking: Asking) -> None:
    asking.knows()
    asking.has([page("A"), page("B"), say("q"), say("a", role="assistant")])
    await asking.ask("q1", too_long(2048, 9000), says("ok"))
    await asking.ask("q2", says("ok"))
    assert len(asking.client.requests) == 3
    started = asking.events[-3]  # then a delta, then TurnDone
    assert isinstance(started, TurnStarted)
    assert (started.report.window_tokens, started.report.window_source) == (2048, "learned")


async def test_after_text_nothing_is_sent_again_and_asking_again_sends_the_rescued_request(asking: Asking) -> None:
    asking.has([page("A")])
    failed = await asking.ask("?", begins_then_overflows("It is "))
    assert isinstance(failed, TurnFailed)
    assert failed.error.data["verdict"] == "overflow"
    assert len(asking.client.requests) == 1
    question, partial = asking.stored()[1:]
    assert (partial["content"], partial["interrupted"]) == ("It is ", True)
    assert asking.stored()[0]["content"] == page("A")["content"]
    done = await asking.ask(None, says("It is a page."), replaces=question["id"])
    assert isinstance(done, TurnDone)
    assert done.rescued
    assert len(asking.sent_text(1)) < 1_000
    assert [message["content"] for message in asking.stored()[1:]] == ["?", "It is a page."]


async def test_asking_again_after_an_error_with_a_number_sends_what_fits_that_number(asking: Asking) -> None:
    asking.knows()
    asking.has([page("A")])
    too_large = event({"error": {"message": "prompt is too long: 9000 tokens > 4096 maximum"}})
    assert isinstance(await asking.ask("?", Reply((delta("It is "), too_large))), TurnFailed)
    question = asking.stored()[1]
    assert isinstance(await asking.ask(None, says("A page."), replaces=question["id"]), TurnDone)
    assert 8_000 < len(asking.sent_text(1)) < len(asking.sent_text(0))


@pytest.mark.parametrize(
    "reply",
    [
        Reply((event({"error": {"message": "prompt is too long: 9000 tokens > 8192 maximum"}}),)),
        Reply((b'{"error": {"message": "prompt is too long: 9000 tokens > 8192 maximum"}}',), content_type="application/json"),
        Reply((event({"choices": [{"index": 0, "delta": {}, "finish_reason": "model_length"}]}), b"data: [DONE]\n\n")),
        refuses(413, "Prompt is too long"),
        refuses(401, "supports only 256K context"),
    ],
    ids=["an event of the stream", "an error in a 200", "a stop reason", "a 413 of tokens", "a 401 that is none"],
)  # fmt: skip
async def test_every_delivery_of_an_overflow_is_rescued(asking: Asking, reply: Reply) -> None:
    asking.has([page("A")])
    done = await asking.ask("?", reply, says("ok"))
    assert isinstance(done, TurnDone)
    assert done.rescued
    assert len(asking.client.requests) == 2


async def test_only_the_allowance_shrinks_where_the_answer_was_too_much(asking: Asking) -> None:
    asking.knows(window=200_000, maxTokens=8000)
    asking.has([page("A")])
    reply = refuses(
        400,
        "This model's maximum context length is 12288 tokens. However, you requested 15000 tokens (5000 in the messages, "
        "10000 in the completion).",
    )
    assert isinstance(await asking.ask("?", reply, says("ok")), TurnDone)
    assert asking.sent(0) == asking.sent(1)
    assert b'"max_tokens":7166' in asking.client.requests[1].body
    assert asking.stored()[0]["content"] == page("A")["content"]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_passes_is_tried_twice_and_told(asking: Asking, status: int) -> None:
    busy = refuses(status, "Busy.")
    done = await asking.ask("?", busy, busy, says("ok"))
    assert isinstance(done, TurnDone)
    assert not done.rescued
    assert asking.waits == [0.5, 2.0]
    assert [(told.kind, told.detail["retry"], told.detail["inMs"]) for told in asking.statuses] == [
        ("retrying", 1, 500),
        ("retrying", 2, 2000),
    ]


async def test_a_third_failure_is_the_turns(asking: Asking) -> None:
    busy = refuses(500, "Busy.")
    assert isinstance(await asking.ask("?", busy, busy, busy), TurnFailed)
    assert len(asking.client.requests) == 3


async def test_retry_after_is_honoured(asking: Asking) -> None:
    busy = refuses(429, "Busy.")
    busy.headers["Retry-After"] = "7"
    await asking.ask("?", busy, says("ok"))
    assert asking.waits == [7.0]


async def test_a_connection_cut_before_the_first_word_is_tried_again_and_after_it_is_not(asking: Asking) -> None:
    assert isinstance(await asking.ask("?", breaks_off(), says("ok")), TurnDone)
    failed = await asking.ask("?", breaks_off("Half"))
    assert isinstance(failed, TurnFailed)
    assert len(asking.client.requests) == 3
    assert asking.stored()[-1]["content"] == "Half"


async def test_a_stream_of_nothing_but_its_end_is_a_failure(asking: Asking) -> None:
    failed = await asking.ask("?", Reply((b"data: [DONE]\n\n",)))
    assert isinstance(failed, TurnFailed)
    assert failed.error.data["verdict"] == "bad_response"


async def test_a_rescue_uses_up_no_retry_and_a_retry_no_rescue(asking: Asking) -> None:
    asking.has([page("A")])
    busy = refuses(503, "Busy.")
    done = await asking.ask("?", busy, TOO_LONG, busy, says("ok"))
    assert isinstance(done, TurnDone)
    assert [told.kind for told in asking.statuses] == ["retrying", "rescued", "retrying"]
    assert asking.sent(2) == asking.sent(3)


async def test_a_rate_is_neither_rescued_nor_learned(asking: Asking) -> None:
    asking.has([page("A")])
    rate = refuses(429, "Request too large on tokens per minute (TPM): Limit 6000, Requested 12328.")
    assert isinstance(await asking.ask("?", rate, says("ok")), TurnDone)
    assert asking.sent(0) == asking.sent(1)
    assert [told.kind for told in asking.statuses] == ["retrying"]


async def test_an_answer_cut_by_its_allowance_goes_on_once_and_is_one_answer(asking: Asking) -> None:
    done = await asking.ask("Tell me.", capped("The fox jumps over the lazy"), says("over the lazy", " dog."))
    assert isinstance(done, TurnDone)
    assert asking.stored()[-1]["content"] == "The fox jumps over the lazy dog."
    assert asking.sent(1)[:-2] == asking.sent(0)
    assert asking.sent(1)[-2] == {"role": "assistant", "content": "The fox jumps over the lazy"}
    deltas = [told for told in asking.events if isinstance(told, TurnDelta)]
    assert "".join(told.text for told in deltas) == asking.stored()[-1]["content"]
    assert deltas[-1].offset + len(deltas[-1].text) == len(asking.stored()[-1]["content"])


async def test_there_is_one_continuation_and_one_that_fails_takes_nothing_away(asking: Asking) -> None:
    assert isinstance(await asking.ask("1", capped("a" * 20), capped("b" * 20)), TurnDone)
    assert asking.stored()[-1]["content"] == "a" * 20 + "b" * 20
    done = await asking.ask("2", capped("c" * 20), refuses(500, "Busy."))
    assert isinstance(done, TurnDone)
    assert asking.stored()[-1]["content"] == "c" * 20
    assert len(asking.client.requests) == 4


async def test_a_continuation_is_built_from_the_rescued_request(asking: Asking) -> None:
    asking.has([page("A")])
    assert isinstance(await asking.ask("?", TOO_LONG, capped("One, "), says("two.")), TurnDone)
    assert len(asking.client.requests) == 3
    assert len(asking.sent_text(2)) < 1_000
    assert asking.stored()[-1]["content"] == "One, two."


async def test_reasoning_of_a_request_that_failed_is_void(asking: Asking) -> None:
    thought = event({"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}, "finish_reason": None}]})
    await asking.ask("?", Reply((thought,), ending="cut"), Reply((thought, delta("ok"), *says().pieces)))
    thoughts = [told for told in asking.events if isinstance(told, TurnDelta) and told.reasoning]
    assert [told.offset for told in thoughts] == [0, 0]


async def test_usage_is_what_all_requests_of_the_turn_took(asking: Asking) -> None:
    first = says("a" * 20, reason="length", usage={"prompt_tokens": 10, "completion_tokens": 5})
    second = says("b", usage={"prompt_tokens": 16, "completion_tokens": 1})
    done = await asking.ask("?", first, second)
    assert isinstance(done, TurnDone)
    assert done.usage is not None
    assert (done.usage.prompt_tokens, done.usage.completion_tokens) == (26, 6)


@pytest.mark.parametrize(("counted", "told"), [(1_100, True), (5_600, False), (7_000, False), (0, False)])
async def test_a_server_that_cuts_a_request_without_a_word_is_told_of(asking: Asking, counted: int, told: bool) -> None:
    asking.has([page("A")])
    await asking.ask("?", says("ok", usage={"prompt_tokens": counted, "completion_tokens": 1}))
    assert ("readInPart" in asking.stored()[-1]) is told


async def test_a_stop_while_a_retry_waits_ends_the_turn(asking: Asking) -> None:
    async def stop(_: float) -> None:
        (turn,) = asking.turns.running(OWN)
        assert turn.task is not None
        turn.task.cancel()

    asking.turns._answering._pause = stop
    assert isinstance(await asking.ask("?", refuses(503, "Busy."), says("never")), TurnDone)
    assert len(asking.client.requests) == 1
    assert asking.stored()[-1]["interrupted"] is True


async def test_an_attachment_that_was_taken_out_meanwhile_stays_out(asking: Asking) -> None:
    asking.has([page("A"), say("q1"), say("a1", role="assistant")])
    asking.client._on_request = lambda _: (
        asking.services.attachments.remove(OWN, "A") if len(asking.client.requests) == 2 else None
    )
    assert isinstance(await asking.ask("q2", TOO_LONG, says("ok")), TurnDone)
    assert [message["content"] for message in asking.stored()] == ["q1", "a1", "q2", "ok"]


async def test_the_person_who_left_finds_the_attachment_shortened_in_the_chat(asking: Asking) -> None:
    asking.has([page("A")])

    def leave(_: object) -> None:
        if len(asking.client.requests) == 2:
            asking.services.conversation.clear(OWN)

    asking.client._on_request = leave
    assert isinstance(await asking.ask("?", TOO_LONG, says("ok")), TurnDone)
    assert asking.stored() == []
    texts = chat_texts(asking.services, chat_ids(asking.services)[0])
    assert len(texts[0]) < 300
    assert texts[1:] == ["?", "ok"]


async def test_a_body_that_was_too_large_is_rescued_by_bytes_and_none_as_large_is_sent_again(asking: Asking) -> None:
    asking.knows(window=2_000_000)
    asking.has([page("A", BODY * 30)])
    assert isinstance(await asking.ask("1", refuses(413, "Request Entity Too Large"), says("ok")), TurnDone)
    first, second = (len(request.body) for request in asking.client.requests)
    assert second < first * 0.6
    assert asking.stored()[0]["content"] == page("A", BODY * 30)["content"]
    await asking.ask("2", says("ok"))
    assert len(asking.client.requests[2].body) < first * 0.6


async def test_what_was_refused_without_a_number_is_known_after_a_restart(asking: Asking) -> None:
    asking.knows(window=2_000_000)
    asking.has([page("A", BODY * 30)])
    await asking.ask("1", refuses(413, "Request Entity Too Large"), says("ok"))
    restarted = Asking(asking.services, asking.client)
    await restarted.ask("2", says("ok"))
    first, _, next_one = (len(request.body) for request in asking.client.requests)
    assert next_one < first * 0.6


async def test_as_much_that_is_taken_makes_a_refusal_void(asking: Asking) -> None:
    asking.knows(window=2_000_000)
    asking.has([page("A", BODY * 30)])
    await asking.ask("1", refuses(413, "Request Entity Too Large"), says("ok"))
    provider = asking.services.providers.resolve(OWN)
    refusals = Refusals(asking.services.database)
    most = refusals.most(OWN, provider).bytes
    assert most is not None
    refusals.taken(OWN, provider, Report(bytes=most))
    assert refusals.most(OWN, provider).bytes == most
    refusals.taken(OWN, provider, Report(bytes=len(asking.client.requests[0].body)))
    assert refusals.most(OWN, provider) == Sizes()


async def test_too_many_pictures_are_rescued_and_none_as_many_are_sent_again(asking: Asking) -> None:
    urls = [url_of(picture(9, 9 + number)) for number in range(8)]
    asking.has([say([{"type": "image_url", "image_url": {"url": url}} for url in urls])])
    assert isinstance(await asking.ask("1", refuses(400, "too many images: 8 > 5"), breaks_off()), TurnFailed)
    assert [asking.images_sent(request) for request in (0, 1)] == [8, 4]
    assert isinstance(await asking.ask("2", says("ok")), TurnDone)
    assert asking.images_sent() == 4


async def test_a_small_request_that_is_refused_without_a_number_stops_no_later_one(asking: Asking) -> None:
    assert isinstance(await asking.ask("short", TOO_LONG), TurnFailed)
    assert isinstance(await asking.ask("a little longer than that", says("ok")), TurnDone)


async def test_an_edit_that_does_not_fit_is_taken_back(asking: Asking) -> None:
    asking.has([say("q", id="q"), say("a", role="assistant")])
    with pytest.raises(RequestRefused):
        await asking.ask("w " * 400_000, replaces="q")
    assert [message["content"] for message in asking.stored()] == ["q", "a"]
    assert isinstance(await asking.ask("again", says("ok")), TurnDone)


def _kept_until(asked_in: Path, home: Path, stop_at: int | None) -> tuple[int, list[str]]:
    """Write a rescued turn's answer, ending at the statement of that number: how many there were, and what is there after."""
    shutil.copytree(asked_in, home)
    with open_services(home) as services:
        store = TurnStore(services.database, ticking_clock())
        asked = store.ask(OWN, Question("?", None), store.place(OWN))
        assert asked is not None
        with killed_at(services.database, stop_at) as count:
            store.answer(OWN, asked.place, say("ok", role="assistant"), Left(None, {"A": "short"}))
    with open_services(home) as services:
        assert services.attachments.get(OWN, "A").text == page("A", "Long.")["content"]
        texts = [message["content"] for message in live_messages(services)]
        assert chat_texts(services, chat_ids(services)[0]) == texts
        return count(), texts


def test_wherever_a_host_is_killed_there_is_the_answer_with_the_shorter_attachment_or_neither(tmp_path: Path) -> None:
    with open_services(tmp_path / "asked in") as services:
        services.conversation.append(OWN, page("A", "Long."))
    total, after = _kept_until(tmp_path / "asked in", tmp_path / "whole", None)
    assert after == ["short", "?", "ok"]
    for stop_at in range(total):
        _, texts = _kept_until(tmp_path / "asked in", tmp_path / str(stop_at), stop_at)
        assert texts in ([page("A", "Long.")["content"], "?"], after)
