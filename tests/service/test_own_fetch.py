"""An extension that does its own fetch: what it is given, what becomes of what it tells."""

from typing import Any

import orjson
import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, SERVER, STRANGER, live_messages, say

from sidekeep.domain import attachment
from sidekeep.domain.chat import SessionId
from sidekeep.errors import Conflict, InvalidParams, NotFound
from sidekeep.llm.types import UsageReport
from sidekeep.service.own_fetch import Ready
from sidekeep.service.services import Services
from sidekeep.service.turn_store import Question
from sidekeep.store import entries

pytestmark = pytest.mark.anyio
PICTURE = url_of(picture(60, 40))
TOO_LONG = '{"error": {"message": "maximum context length is 8192 tokens, your messages resulted in 20000 tokens"}}'


async def _prepare(services: Services, text: str = "Why?", *images: str, dialect: str | None = None) -> Ready:
    return await services.own_fetches.prepare(OWN, Question(text, images), "test", dialect)


def _session(services: Services) -> SessionId:
    with services.database.reading() as tx:
        own = entries.live(tx, OWN)
    assert own is not None
    return own.session_id


def _body(ready: Ready) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(ready.prepared.body)
    return found


async def test_it_is_given_the_address_and_the_body_and_the_question_is_kept(services: Services) -> None:
    ready = await _prepare(services, "Why?", PICTURE)
    assert ready.url == f"{SERVER['baseUrl']}/chat/completions"
    assert _body(ready)["messages"][-1]["content"][1]["image_url"]["url"] == PICTURE
    assert ready.prepared.report.bytes == len(ready.prepared.body)
    assert [message["role"] for message in live_messages(services)] == ["user"]


async def test_another_dialect_may_be_asked_for(services: Services) -> None:
    ready = await _prepare(services, dialect="anthropic")
    assert ready.url.endswith("/v1/messages")
    assert "system" in _body(ready)
    for dialect in ("offline", "esperanto"):
        with pytest.raises(InvalidParams):
            await _prepare(services, dialect=dialect)


async def test_an_answer_is_kept_with_what_it_saw_and_took(services: Services) -> None:
    ready = await _prepare(services, "What is it?", PICTURE)
    usage = UsageReport(120, 5)
    await services.own_fetches.succeeded(OWN, ready.request, {"content": "A cat.", "role": "user", "mine": 1}, usage)
    question, answer = live_messages(services)
    assert question["imagesSeen"] is True
    assert (answer["role"], answer["content"], answer["mine"]) == ("assistant", "A cat.", 1)
    assert answer["usage"] == {"promptTokens": 120, "completionTokens": 5}
    assert (answer["provider"], answer["model"]) == ("test", "tiny")
    later = await _prepare(services, "And?")
    assert "[image 1]" in str(_body(later)["messages"])
    assert services.calibrations.of(OWN, later.prepared.attempt.provider, _session(services)).factor is not None


async def test_an_answer_that_was_paid_for_tells_its_cost(services: Services) -> None:
    paid = SERVER | {"baseUrl": "https://api.openai.com/v1", "model": "gpt-5"}
    services.area.set(OWN, {"providers": {"test": paid}})
    ready = await _prepare(services)
    await services.own_fetches.succeeded(OWN, ready.request, {"content": "Because."}, UsageReport(1_000, 100))
    assert live_messages(services)[-1]["usage"]["cost"]["amount"] == pytest.approx(0.00225)


async def test_what_was_too_large_is_made_smaller_once_and_storage_follows_the_answer(services: Services) -> None:
    page = attachment.render(url="https://e.org/", title="T", mode="full", text="word " * 16_000)
    services.conversation.append(OWN, say(page, attachId="A"))
    services.area.set(OWN, {"providers": {"test": {**SERVER, "window": 200_000}}})
    ready = await _prepare(services)
    retry = await services.own_fetches.failed(OWN, ready.request, 400, TOO_LONG)
    assert retry is not None
    assert len(retry.body) < len(ready.prepared.body)
    assert live_messages(services)[0]["content"] == page
    assert await services.own_fetches.failed(OWN, ready.request, 400, TOO_LONG) is None
    await services.own_fetches.succeeded(OWN, ready.request, {"content": "So."}, None)
    first, _, answer = live_messages(services)
    assert (first["rescued"], first["original"], answer["rescued"]) == (True, page, True)


@pytest.mark.parametrize(("status", "body"), [(429, "slow down"), (None, ""), (500, "<html>")])
async def test_what_is_no_matter_of_size_is_not_sent_anew_and_may_succeed_later(
    services: Services, status: int | None, body: str
) -> None:
    ready = await _prepare(services)
    assert await services.own_fetches.failed(OWN, ready.request, status, body) is None
    await services.own_fetches.succeeded(OWN, ready.request, {"content": "So."}, None)
    assert [message["content"] for message in live_messages(services)] == ["Why?", "So."]


async def test_no_turn_runs_beside_it_and_a_new_one_takes_its_place(services: Services) -> None:
    ready = await _prepare(services)
    with pytest.raises(Conflict):
        await services.turns.send(OWN, Question("Now?", None), lambda _: None)
    again = await _prepare(services, "Again?")
    with pytest.raises(NotFound):
        await services.own_fetches.succeeded(OWN, ready.request, {"content": "late"}, None)
    await services.own_fetches.succeeded(OWN, again.request, {"content": "So."}, None)
    assert [message["content"] for message in live_messages(services)] == ["Why?", "Again?", "So."]


async def test_nobody_else_ends_it(services: Services) -> None:
    ready = await _prepare(services)
    for scope in (STRANGER, OWN._replace(profile="two")):
        with pytest.raises(NotFound):
            await services.own_fetches.failed(scope, ready.request, 400, TOO_LONG)
