"""What a turn's usage teaches, and what it cost."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import Asking, too_long
from tests.support.stores import OWN, live_messages, open_services, say

from sidekeep.domain.providers import Provider
from sidekeep.errors import StoreBusy
from sidekeep.llm.scripted import Reply, ScriptedClient, event, refuses, says
from sidekeep.llm.types import ModelInfo
from sidekeep.request.build import Report
from sidekeep.request.calibration import FIXED
from sidekeep.service.calibrations import Calibrations
from sidekeep.service.running import TurnDone, TurnStarted
from sidekeep.service.services import Services
from sidekeep.store import entries

pytestmark = pytest.mark.anyio

WORDS = "a long question about many things " * 30
MODEL = Provider("test", "openai-chat", "http://127.0.0.1:9/v1", "tiny")


@pytest.fixture
def asking(services: Services, client: ScriptedClient) -> Asking:
    return Asking(services, client)


def _usage(prompt: int, completion: int, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, **more}


def _reports(asking: Asking) -> list[Report]:
    return [told.report for told in asking.events if isinstance(told, TurnStarted)]


def _counted(services: Services) -> dict[str, float]:
    """What is known to have been counted, by role."""
    with services.database.reading() as tx:
        own = entries.live(tx, OWN)
        assert own is not None
    roles = {message["id"]: message["role"] for message in live_messages(services)}
    counted = services.calibrations.of(OWN, MODEL, own.session_id).counted
    return {roles.get(part, part): count.tokens for part, count in counted.items()}


async def test_the_next_request_is_estimated_by_what_the_server_counted(asking: Asking) -> None:
    await asking.ask(WORDS, says(WORDS, usage=_usage(260, 240)))
    await asking.ask("Go on.", says("ok"))
    before, after = (report.estimated_tokens for report in _reports(asking))
    assert before < 230
    assert after == pytest.approx(260 + 240 + 4 + 8, abs=4)


async def test_a_cached_part_is_inside_the_count(asking: Asking) -> None:
    await asking.ask(WORDS, says("ok", usage=_usage(260, 1, prompt_tokens_details={"cached_tokens": 200})))
    await asking.ask("Go on.", says("ok"))
    assert _reports(asking)[1].estimated_tokens == pytest.approx(275, abs=6)


async def test_thoughts_that_are_counted_with_the_answer_make_its_count_another_ones(asking: Asking) -> None:
    thinking = event({"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]})
    answer = says(WORDS, usage=_usage(260, 440))
    await asking.ask(WORDS, Reply((thinking, *answer.pieces)))
    assert _counted(asking.services).keys() == {FIXED, "user"}


async def test_thoughts_that_are_told_apart_are_taken_off(asking: Asking) -> None:
    usage = _usage(260, 440, completion_tokens_details={"reasoning_tokens": 200})
    await asking.ask(WORDS, says(WORDS, usage=usage))
    assert _counted(asking.services)["assistant"] == 244


async def test_of_an_answer_in_two_pieces_the_first_request_teaches_and_no_count_is_the_answers(asking: Asking) -> None:
    first = says(WORDS, reason="length", usage=_usage(260, 240))
    await asking.ask(WORDS, first, says(WORDS, usage=_usage(9000, 240)))
    assert _counted(asking.services).keys() == {FIXED, "user"}
    assert sum(_counted(asking.services).values()) == pytest.approx(260)


async def test_an_agents_count_is_of_its_own_transcript(asking: Asking) -> None:
    asking.knows(agent=True)
    await asking.ask(WORDS, says(WORDS, usage=_usage(260, 240)))
    assert _counted(asking.services) == {}


async def test_a_window_that_was_learned_outlives_the_host(tmp_path: Path) -> None:
    client = ScriptedClient()
    with open_services(tmp_path, client) as services:
        asking = Asking(services, client)
        asking.has([say("long words " * 1500), say("ok", role="assistant")])
        await asking.ask("q", too_long(2048, 3100), says("ok"))
    with open_services(tmp_path, client) as services:
        asking = Asking(services, client)
        await asking.ask("q", says("ok"))
        assert (_reports(asking)[0].window_tokens, _reports(asking)[0].window_source) == (2048, "learned")


async def test_what_cannot_be_kept_spoils_no_answer(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: Any) -> None:
        raise StoreBusy("The store is busy.")

    monkeypatch.setattr(Calibrations, "keep", busy)
    monkeypatch.setattr("sidekeep.service.windows.Windows.refused", busy)
    asking.has([say("long words " * 1500), say("ok", role="assistant")])
    done = await asking.ask("q", too_long(2048, 3100), says("ok", usage=_usage(1500, 1)))
    assert isinstance(done, TurnDone)
    assert asking.stored()[-1]["content"] == "ok"


async def test_an_answer_tells_what_it_cost_by_the_list_of_prices(asking: Asking) -> None:
    asking.knows(baseUrl="https://api.openai.com/v1", model="gpt-5")
    done = await asking.ask("q", says("ok", usage=_usage(1_000, 100)))
    assert isinstance(done, TurnDone)
    assert done.cost is not None
    assert done.cost.amount == pytest.approx(0.00225)
    cost = asking.stored()[-1]["usage"]["cost"]
    assert cost == {"amount": done.cost.amount, "currency": "USD", "asOf": done.cost.as_of}


async def test_an_answer_in_two_pieces_costs_both_requests(asking: Asking) -> None:
    asking.knows(baseUrl="https://api.openai.com/v1", model="gpt-5")
    usage = _usage(1_000, 100)
    await asking.ask("q", says("a", reason="length", usage=usage), says("b", usage=usage))
    assert asking.stored()[-1]["usage"]["cost"]["amount"] == pytest.approx(0.0045)


async def test_a_server_without_a_price_has_no_cost(asking: Asking) -> None:
    await asking.ask("q", says("ok", usage=_usage(1_000, 100)))
    assert asking.stored()[-1]["usage"] == {"promptTokens": 1_000, "completionTokens": 100}


LONG = [say("long words " * 2000), say("ok", role="assistant")]


async def test_a_server_is_asked_for_its_window_where_the_guess_may_be_too_small(asking: Asking) -> None:
    asking.client.listed = [ModelInfo("tiny", 64_000)]
    asking.has(LONG)
    await asking.ask("q", says("ok"))
    assert _reports(asking)[0].window_tokens == 64_000
    assert "long words" in asking.sent_text()
    await asking.ask("q", says("ok"))
    assert asking.client.times_listed == 1


async def test_a_server_that_does_not_tell_is_asked_once(asking: Asking) -> None:
    asking.client.listed = refuses(404, "no")
    asking.has(LONG)
    for _ in range(2):
        await asking.ask("q", says("ok"))
    assert _reports(asking)[1].window_source == "default"
    assert asking.client.times_listed == 1


@pytest.mark.parametrize("known", [{"window": 100_000}, {"baseUrl": "https://api.openai.com/v1", "model": "gpt-5"}])
async def test_nobody_is_asked_what_is_known(asking: Asking, known: dict[str, Any]) -> None:
    asking.knows(**known)
    asking.has(LONG)
    await asking.ask("q", says("ok"))
    assert asking.client.times_listed == 0


async def test_a_short_chat_asks_nobody(asking: Asking) -> None:
    await asking.ask("q", says("ok"))
    assert asking.client.times_listed == 0


async def test_a_server_that_keeps_silent_holds_nothing_up(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(*_: Any) -> list[ModelInfo]:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(asking.client, "models", silent)
    monkeypatch.setattr("sidekeep.service.answering.ASK_FOR_WINDOW_S", 0.01)
    asking.has(LONG)
    assert isinstance(await asking.ask("q", says("ok")), TurnDone)
