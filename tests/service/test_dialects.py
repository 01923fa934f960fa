"""A turn speaks the API of its provider's kind, in both directions."""

import asyncio
from typing import Any

import orjson
import pytest
from tests.llm.playing import recorded
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, SERVER, live_messages

from sidekeep.errors import InvalidParams
from sidekeep.llm.scripted import Reply, ScriptedClient
from sidekeep.service.running import TurnDone, TurnEvent, TurnFailed
from sidekeep.service.services import Services
from sidekeep.service.turn_store import Question

pytestmark = pytest.mark.anyio
WAIT_S = 10
PICTURE = url_of(picture(60, 40))
BASE64 = PICTURE.partition(",")[2]

# Where in the body the question's picture is.
WAYS: dict[str, Any] = {
    "openai-chat": lambda body: body["messages"][-1]["content"][1]["image_url"]["url"],
    "openai-responses": lambda body: body["input"][-1]["content"][1]["image_url"],
    "anthropic": lambda body: body["messages"][-1]["content"][1]["source"]["data"],
    "gemini": lambda body: body["contents"][-1]["parts"][1]["inlineData"]["data"],
    "ollama": lambda body: body["messages"][-1]["images"][0],
}


async def _answered(services: Services, text: str, *images: str) -> TurnEvent:
    ended: asyncio.Future[TurnEvent] = asyncio.get_running_loop().create_future()

    def emit(event: TurnEvent) -> None:
        if isinstance(event, (TurnDone, TurnFailed)):
            ended.set_result(event)

    await services.turns.send(OWN, Question(text, images or None), emit)
    async with asyncio.timeout(WAIT_S):
        return await ended


@pytest.mark.parametrize("kind", WAYS)
async def test_the_providers_kind_chooses_the_dialect(services: Services, client: ScriptedClient, kind: str) -> None:
    services.area.set(OWN, {"providers": {"test": {**SERVER, "kind": kind}}})
    client.replies += [Reply((recorded(kind, "reasoning"),))]
    assert isinstance(await _answered(services, "What is this?", PICTURE), TurnDone)
    (sent,) = client.requests
    assert sent.endpoint.kind == kind
    assert WAYS[kind](orjson.loads(sent.body)) in (PICTURE, BASE64)
    answer = live_messages(services)[-1]
    assert answer["content"] == "Hello, wörld 🙂\u2028!"
    counts = {"promptTokens": 21, "completionTokens": 19, "cachedTokens": 16}
    assert answer["usage"] == (counts if kind == "ollama" else {**counts, "reasoningTokens": 12})


async def test_a_kind_that_does_not_exist_is_refused_in_words(services: Services) -> None:
    services.area.set(OWN, {"providers": {"test": {**SERVER, "kind": "telepathy"}}})
    with pytest.raises(InvalidParams, match="no kind of provider named 'telepathy'"):
        await _answered(services, "first")
    assert live_messages(services) == []


async def test_an_agent_is_sent_what_it_has_not_seen(services: Services, client: ScriptedClient) -> None:
    services.area.set(OWN, {"providers": {"test": {**SERVER, "agent": True}}})
    client.replies += [Reply((recorded("openai-chat", "answer"),)) for _ in range(2)]
    await _answered(services, "first")
    await _answered(services, "second")
    assert orjson.loads(client.requests[-1].body)["messages"] == [{"role": "user", "content": "second"}]
