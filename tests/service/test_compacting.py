"""Compactions that the model writes: nothing changes before a whole summary is there, and nothing is lost after it."""

import asyncio
from typing import Any

import orjson
import pytest
from tests.support.asking import TOO_LONG, Asking, capped
from tests.support.pictures import picture, url_of
from tests.support.request_cases import cases
from tests.support.stores import OWN, SERVER, chat_ids, live_messages, live_texts, say

from sidekeep.domain.compaction import SUMMARY_HEADER
from sidekeep.errors import Conflict, NotFound, ProviderFailed
from sidekeep.llm.scripted import Gate, Reply, ScriptedClient, breaks_off, delta, says
from sidekeep.service.services import Services

pytestmark = pytest.mark.anyio

TALK = [say(f"{role} {turn}: the id is 7f3a-99", role=role) for turn in range(1, 5) for role in ("user", "assistant")][
    :-1
]


def has(services: Services, history: list[dict[str, Any]]) -> None:
    for message in history:
        services.conversation.append(OWN, message)


def asked(client: ScriptedClient, number: int = -1) -> str:
    """What the summariser was shown."""
    found: str = orjson.loads(client.requests[number].body)["messages"][-1]["content"]
    return found


async def test_a_marked_summary_of_the_users_role_stands_for_all_but_the_newest_turns(
    services: Services, client: ScriptedClient
) -> None:
    has(services, TALK)
    client.replies = [says("They talk", " of 7f3a-99.")]
    done = await services.compacting.compact(OWN, None)
    summary, *kept = live_messages(services)
    assert (summary["role"], summary["content"]) == ("user", f"{SUMMARY_HEADER}\n\nThey talk of 7f3a-99.")
    assert summary["summaryOf"] == done.checkpoint.id
    assert [message["content"] for message in kept] == [message["content"] for message in TALK[4:]]
    assert all(message["content"] in asked(client) for message in TALK[:4])
    before = services.checkpoints.transcript(OWN, done.chat.id, done.checkpoint.id, "none")
    assert len(before) == len(TALK)


@pytest.mark.parametrize(
    ("reply", "refusal"),
    [
        (capped("They talk"), Conflict),
        (says("blah " * 200), Conflict),
        (says(""), ProviderFailed),
        (breaks_off("They"), ProviderFailed),
        (TOO_LONG, ProviderFailed),
    ],
    ids=["cut", "longer than what it replaces", "empty", "broken off", "refused"],
)
async def test_what_is_no_summary_changes_nothing(
    services: Services, client: ScriptedClient, reply: Reply, refusal: type[Exception]
) -> None:
    has(services, TALK)
    before = services.area.get(OWN, None)
    client.replies = [reply]
    with pytest.raises(refusal):
        await services.compacting.compact(OWN, None)
    assert services.area.get(OWN, None) == before
    assert services.checkpoints.all(OWN, chat_ids(services)[0]) == []
    assert len(client.requests) == 1


async def test_a_long_chat_is_summarised_in_parts_that_fit_each_with_the_summary_before(
    services: Services, client: ScriptedClient
) -> None:
    services.area.set(OWN, {"providers": {"test": {**SERVER, "window": 2048}}})
    has(services, [say("word " * 2000), say("answer", role="assistant"), *TALK])
    client.replies = [says(f"Summary {number}.") for number in range(1, 12)]
    await services.compacting.compact(OWN, None)
    count = len(client.requests)
    assert 2 < count < 11
    for number in range(1, count):
        assert f"Summary {number}." in asked(client, number)
    assert live_texts(services)[0] == f"{SUMMARY_HEADER}\n\nSummary {count}."


async def test_a_second_compaction_covers_the_first_and_what_it_had_kept(
    services: Services, client: ScriptedClient
) -> None:
    has(services, TALK)
    client.replies = [says("Summary one.")]
    await services.compacting.compact(OWN, None)
    has(services, [say("answer 4", role="assistant"), say("user 5"), say("answer 5", role="assistant"), say("user 6")])
    client.replies = [says("Summary two.")]
    await services.compacting.compact(OWN, None)
    assert "Summary one." in asked(client)
    covered, kept = asked(client), live_texts(services)[1:]
    rest = [*(message["content"] for message in TALK[4:]), "answer 4", "user 5", "answer 5", "user 6"]
    assert all((text in covered) != (text in kept) for text in rest)


async def test_one_at_a_time_and_what_arrives_meanwhile_stands_after_the_summary(
    services: Services, client: ScriptedClient
) -> None:
    has(services, TALK)
    gate = Gate()
    client.replies = [Reply((gate, delta("Short."), *says().pieces))]
    compacting = asyncio.create_task(services.compacting.compact(OWN, None))
    async with asyncio.timeout(10):
        await gate.reached.wait()
    has(services, [say("one more thing")])
    with pytest.raises(Conflict):
        await services.compacting.compact(OWN, None)
    gate.open()
    await compacting
    assert live_texts(services)[0] == f"{SUMMARY_HEADER}\n\nShort."
    assert live_texts(services).count("one more thing") == 1
    assert live_texts(services)[-1] == "one more thing"


async def test_what_is_not_there_cannot_be_summarised(services: Services) -> None:
    with pytest.raises(NotFound):
        await services.compacting.compact(OWN, "nowhere")
    with pytest.raises(Conflict):
        await services.compacting.compact(OWN, None)


async def test_a_full_chat_is_summarised_by_itself_only_where_that_is_switched_on(
    services: Services, client: ScriptedClient
) -> None:
    asking = Asking(services, client)
    asking.knows(window=2048)
    has(services, [say("word " * 1600), say("answer", role="assistant"), *TALK[:4]])
    await asking.ask("off?", says("yes"))
    await asking.background()
    assert len(client.requests) == 1
    asking.compacts = True
    client.replies = [says("yes"), *(says(f"Summary {number}.") for number in range(5))]
    await asking.ask("on?")
    await asking.background()
    assert live_texts(services)[0].startswith(SUMMARY_HEADER)
    assert live_texts(services)[-4:] == ["off?", "yes", "on?", "yes"]


async def test_one_that_failed_is_not_tried_after_every_answer(services: Services, client: ScriptedClient) -> None:
    asking = Asking(services, client, compacts=True)
    asking.knows(window=2048)
    has(services, [say("word " * 1600), say("answer", role="assistant"), *TALK[:4]])
    await asking.ask("1", says("yes"), breaks_off())
    await asking.background()
    assert len(client.requests) == 2
    await asking.ask("2", says("yes"))
    await asking.background()
    assert len(client.requests) == 3
    assert live_texts(services)[-4:] == ["1", "yes", "2", "yes"]


def _plain_history(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [_with_pixels(message) for message in case["history"] if message["role"] != "system"]


def _with_pixels(message: dict[str, Any]) -> dict[str, Any]:
    """A picture where the case has a run of base64 that is none."""
    if not isinstance(message["content"], list):
        return message
    image = {"type": "image_url", "image_url": {"url": url_of(picture(9, 9))}}
    return {**message, "content": [image if part["type"] == "image_url" else part for part in message["content"]]}


@pytest.mark.parametrize("case", cases("compact"))
async def test_a_compaction_is_what_the_case_says(
    services: Services, client: ScriptedClient, case: dict[str, Any]
) -> None:
    """Summaries of one letter become longer where the case's messages are too short for any to stand for them."""
    params, expected = case["params"], case["expect"]
    history = _plain_history(case)
    has(services, history)
    if previous := params.get("previous"):
        first = [message["content"] for message in history[: previous["kept_from"]]]
        client.replies = [says(previous["summary"][:2])]
        done = await services.compacting.compact(OWN, None)
        assert done.messages_before == len(history)
        assert len(first) > 0
    before = services.area.get(OWN, ("history",))
    summary = params["summary"] or ""
    client.replies = [breaks_off() if params.get("error") else says(summary)]
    calls_before = len(client.requests)
    if params.get("enabled", True):
        client._on_request = lambda _: (
            has(services, [say(params["arrives_during"])]) if "arrives_during" in params else None
        )
        outcome = await _outcome(services)
        if params.get("twice") or params.get("always_over"):
            assert await _outcome(services) == "conflict"
    else:
        outcome = "disabled"
    calls = len(client.requests) - calls_before
    if expected.get("stored_unchanged"):
        assert services.area.get(OWN, ("history",)) == before
        assert outcome != "done"
    if "first_role" in expected:
        assert live_messages(services)[0]["role"] == expected["first_role"]
        assert "summaryOf" in live_messages(services)[0]
    for name in ("summariser_calls", "summariser_calls_max"):
        assert calls <= expected.get(name, calls)
    if "summariser_input_contains" in expected:
        assert expected["summariser_input_contains"] in asked(client)
        assert len(asked(client)) <= expected["summariser_input_max_chars"]
    if "last_text" in expected:
        assert live_texts(services)[-1] == expected["last_text"]
        assert live_texts(services).count(expected["last_text"]) == expected["occurrences"]


async def _outcome(services: Services) -> str:
    try:
        await services.compacting.compact(OWN, None)
    except Conflict:
        return "conflict"
    except ProviderFailed:
        return "failed"
    return "done"


@pytest.mark.parametrize("case", cases("checkpoints"))
async def test_checkpoints_are_what_the_case_says(
    services: Services, client: ScriptedClient, case: dict[str, Any]
) -> None:
    """`compact#N` is a compaction after two more turns, `delete#N` the removal of its checkpoint."""
    made: dict[str, str] = {}
    for name in case["params"]["events"]:
        kind, _, number = name.partition("#")
        if kind == "delete":
            services.checkpoints.delete(OWN, chat_ids(services)[0], made[f"compact#{number}"])
            continue
        has(services, TALK if not made else [say("and then", role="assistant"), *TALK])
        client.replies = [breaks_off() if kind == "compact_fails" else says(f"S{number}")]
        if kind == "compact_fails":
            with pytest.raises(ProviderFailed):
                await services.compacting.compact(OWN, None)
        else:
            made[name] = (await services.compacting.compact(OWN, None)).checkpoint.id
    kept = services.checkpoints.all(OWN, chat_ids(services)[0])
    expected = case["expect"]
    transcripts = {name for item, _ in kept for name in item.sessions}
    assert len(kept) == expected.get("checkpoints", len(kept))
    assert len(transcripts) == expected.get("transcripts", len(transcripts))
    assert len(transcripts) <= expected.get("transcripts_max", len(transcripts))
    if "newest" in expected:
        assert kept[-1][0].id == made[expected["newest"]]
    if expected.get("shared_transcript_exists"):
        ((item, messages),) = kept
        assert messages > 0
        assert item.before in transcripts


async def test_a_chat_may_be_summarised_while_an_answer_comes(services: Services, client: ScriptedClient) -> None:
    has(services, TALK[:6])
    gate = Gate()
    asking = Asking(services, client)
    client.replies = [Reply((delta("An "), gate, *says("answer").pieces)), says("Short.")]
    asked_now = asyncio.create_task(asking.ask("What now?"))
    async with asyncio.timeout(10):
        await gate.reached.wait()
    await services.compacting.compact(OWN, None)
    gate.open()
    await asked_now
    assert live_texts(services)[0] == f"{SUMMARY_HEADER}\n\nShort."
    assert live_texts(services)[-2:] == ["What now?", "An answer"]
