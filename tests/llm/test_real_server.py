"""llama.cpp's own server speaks three of the APIs: what Sidekeep writes is accepted there, and the answer read."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from tests.support.requests import asks, request

from sidekeep.errors import ProviderFailed
from sidekeep.llm.client import ModelClient
from sidekeep.llm.offline import OfflineModel
from sidekeep.llm.types import Event, Finished, TextDelta, UsageReport
from sidekeep.request.dialect.table import WRITERS

pytestmark = [pytest.mark.anyio, pytest.mark.model]

WINDOW_TOKENS = 512
ANSWER_S = 120
KINDS = ("openai-chat", "openai-responses", "anthropic")


@pytest.fixture
async def client() -> AsyncIterator[ModelClient]:
    client = ModelClient()
    yield client
    await client.aclose()


async def ask(client: ModelClient, model: OfflineModel, kind: str, text: str) -> list[Event]:
    endpoint = replace(await model.endpoint(WINDOW_TOKENS), kind=kind)
    body = WRITERS[kind](
        request(asks("[a page]"), asks(text), model=endpoint.model, system="Be brief.", temperature=0.0, max_tokens=8),
        {},
    )
    async with asyncio.timeout(ANSWER_S):
        return [event async for event in client.stream(endpoint, body)]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_real_server_takes_the_request_and_its_answer_is_read(
    client: ModelClient, shared_model: OfflineModel, kind: str
) -> None:
    *deltas, usage, finished = await ask(client, shared_model, kind, "Say hello.")
    assert all(isinstance(delta, TextDelta) for delta in deltas)
    assert isinstance(usage, UsageReport)
    assert usage.prompt_tokens > 10
    assert usage.completion_tokens == 8
    assert isinstance(finished, Finished)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_real_servers_refusal_keeps_its_words(
    client: ModelClient, shared_model: OfflineModel, kind: str
) -> None:
    with pytest.raises(ProviderFailed) as caught:
        await ask(client, shared_model, kind, "word " * 2000)
    assert (caught.value.status, caught.value.delivered) == (400, "http-error")
    assert b"exceed_context_size_error" in caught.value.body
