"""A rescue against the offline model's own server, with a window of 2,048 tokens: the real refusal, the real answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.llm.conftest import models_dir  # noqa: F401  a fixture
from tests.support.asking import Asking
from tests.support.stores import OWN, open_services, say

from sidekeep.domain import attachment
from sidekeep.llm.client import ModelClient
from sidekeep.llm.offline import OfflineModel
from sidekeep.llm.types import Endpoint
from sidekeep.service.running import TurnDone, TurnFailed, TurnStarted

pytestmark = [pytest.mark.anyio, pytest.mark.model]

WINDOW = 2048
ANSWER_S = 240  # two cores that do something else, too
PAGE = attachment.render(
    url="https://e.org/fox",
    title="Foxes",
    mode="full",
    text="The red fox lives in forests and fields. It eats mice, berries and beetles. " * 400,
)


class Relay:
    """Stands before a server that tells nobody its window, and counts the requests for answers.

    After `refuse_after` of them it answers with the last refusal again.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._target = urlsplit(endpoint.base_url)
        self.requests = 0
        self.refuse_after: int | None = None
        self._refusal = b""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """The base URL at which it listens."""
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            yield f"http://127.0.0.1:{port}{self._target.path}"

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"GET "):
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            writer.close()
            return
        self.requests += 1
        if self.refuse_after is not None and self.requests > self.refuse_after:
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]))
            writer.write(self._refusal)
            writer.close()
            return
        onward, back = await asyncio.open_connection(self._target.hostname, self._target.port)
        back.write(head)
        await asyncio.gather(_copy(reader, back), self._copy_answer(onward, writer))

    async def _copy_answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = await _copy(reader, writer)
        if b" 400 " in answer[:20]:
            self._refusal = answer


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """Everything that comes, as it comes; returns it."""
    passed = bytearray()
    try:
        while piece := await reader.read(65_536):
            passed += piece
            writer.write(piece)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
    return bytes(passed)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def endpoint(models_dir: Path) -> AsyncIterator[Endpoint]:  # noqa: F811
    """The model's server, running."""
    model = OfflineModel(models_dir)
    yield await model.endpoint(WINDOW)
    await model.aclose()


@pytest.fixture
async def relay(endpoint: Endpoint) -> Relay:
    return Relay(endpoint)


@pytest.fixture
async def asking(tmp_path: Path, endpoint: Endpoint, relay: Relay) -> AsyncIterator[Asking]:
    """Turns that ask the server through the relay, with the page attached. That the window is small nobody has told them."""
    client = ModelClient()
    async with relay.listening() as base_url:
        with open_services(tmp_path / "home", client) as services:
            asking = Asking(services, end_s=ANSWER_S)
            asking.knows(baseUrl=base_url, model=endpoint.model, maxTokens=24)
            services.providers.set_key(OWN, "test", endpoint.api_key or "")
            asking.has([say(PAGE, attachId="fox")])
            yield asking
    await client.aclose()


async def test_a_page_too_large_for_the_window_is_rescued_answered_and_learned_from(
    asking: Asking, relay: Relay
) -> None:
    done = await asking.ask("What do foxes eat?")
    assert isinstance(done, TurnDone), done
    assert done.rescued
    assert relay.requests <= 3  # the overflow, the rescue, and a continuation of an answer that its allowance cut
    assert [told.kind for told in asking.statuses][:1] == ["rescued"]
    page, _, answer = asking.stored()
    assert len(page["content"]) < len(PAGE)
    assert answer["content"]
    assert asking.services.attachments.get(OWN, "fox").text == PAGE

    before = relay.requests
    asking.events.clear()
    assert isinstance(await asking.ask("And where do they live?"), TurnDone)
    assert "rescued" not in [told.kind for told in asking.statuses]
    assert relay.requests <= before + 2
    started = asking.events[0]
    assert isinstance(started, TurnStarted)
    assert (started.report.window_tokens, started.report.window_source) == (WINDOW, "learned")


async def test_a_rescue_that_is_refused_too_costs_two_requests_and_changes_nothing(
    asking: Asking, relay: Relay
) -> None:
    relay.refuse_after = 1
    failed = await asking.ask("What do foxes eat?")
    assert isinstance(failed, TurnFailed)
    assert failed.error.data["limit_tokens"] == WINDOW
    assert relay.requests == 2
    assert [message["content"] for message in asking.stored()] == [PAGE, "What do foxes eat?"]
