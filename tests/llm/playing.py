"""Scripts played to a client: over a real socket to the real one, or by the scripted one itself."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.llm.conftest import KEY, WAIT_S, scripted_server

from sidekeep.errors import ProviderFailed
from sidekeep.llm.client import ModelClient
from sidekeep.llm.scripted import Reply, ScriptedClient
from sidekeep.llm.types import Endpoint, Event, ProviderClient, ReasoningDelta, TextDelta

BODY = b'{"model": "small",  "messages": []}'
STREAMS = Path(__file__).parent / "streams"


@dataclass
class Setting:
    client: ProviderClient
    endpoint: Endpoint
    bodies: Callable[[], list[bytes]]


@asynccontextmanager
async def over_http(kind: str, *replies: Reply) -> AsyncIterator[Setting]:
    async with scripted_server(*replies) as server:
        client = ModelClient()
        endpoint = server.endpoint(kind=kind)
        yield Setting(client, endpoint, lambda: [request.body for request in server.received])
        await client.aclose()


@asynccontextmanager
async def scripted(kind: str, *replies: Reply) -> AsyncIterator[Setting]:
    client = ScriptedClient(replies)
    endpoint = Endpoint(kind, "http://127.0.0.1:9/v1", "small", KEY)
    yield Setting(client, endpoint, lambda: [request.body for request in client.requests])
    await client.aclose()


Implementation = Callable[..., AbstractAsyncContextManager[Setting]]


def recorded(kind: str, name: str) -> bytes:
    """A stream as a server of that kind sends it."""
    (file,) = (STREAMS / kind).glob(f"{name}.*")
    return file.read_bytes()


def pieces(kind: str, name: str) -> list[bytes]:
    """The same, an event each."""
    stream = recorded(kind, name)
    end = b"\r\n\r\n" if b"\r\n" in stream else b"\n" if kind == "ollama" else b"\n\n"
    return [event + end for event in stream.split(end) if event]


async def collect(setting: Setting) -> list[Event]:
    async with asyncio.timeout(WAIT_S):
        return [event async for event in setting.client.stream(setting.endpoint, BODY)]


async def collect_failing(setting: Setting) -> tuple[list[Event], ProviderFailed]:
    events: list[Event] = []
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(ProviderFailed) as caught:
            await _gather(setting, events)
    return events, caught.value


async def _gather(setting: Setting, events: list[Event]) -> None:
    """A list comprehension would lose what came before the failure."""
    async for received in setting.client.stream(setting.endpoint, BODY):
        events.append(received)  # noqa: PERF401


def opened(setting: Setting) -> aclosing[AsyncGenerator[Event, None]]:
    stream = setting.client.stream(setting.endpoint, BODY)
    assert isinstance(stream, AsyncGenerator)
    return aclosing(stream)


def text_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def reasoning_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, ReasoningDelta))
