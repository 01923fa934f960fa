"""A real HTTP server that plays the scripts of sidekeep.llm.scripted, and the offline model's weights."""

import asyncio
import os
import shutil
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sidekeep.llm import weights
from sidekeep.llm.offline import OfflineModel
from sidekeep.llm.scripted import Gate, Reply
from sidekeep.llm.types import Endpoint

if TYPE_CHECKING:
    from tests.llm.playing import Implementation

ROOT = Path(__file__).parents[2]
WAIT_S = 10
KEY = "sk-secret-0123456789"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models folder of the tests' own with the weights that build.py has fetched."""
    source = weights.path_of(ROOT / ".sidekeep-dev" / "models")
    if not weights.is_intact(source.parent):
        pytest.fail(f"The offline model's weights are not at {source}. Run: python3 build.py setup")
    folder = tmp_path_factory.mktemp("models")
    try:
        os.link(source, folder / source.name)
    except OSError:  # another file system
        shutil.copyfile(source, folder / source.name)
    return folder


@pytest.fixture(scope="module")
async def shared_model(models_dir: Path) -> AsyncIterator[OfflineModel]:
    """One running model for the tests that only ask it things."""
    model = OfflineModel(models_dir)
    yield model
    await model.aclose()


async def eventually(condition: Callable[[], bool], within_s: float = WAIT_S) -> None:
    """Wait until `condition` holds, and fail where it does not in time."""
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0.01)


@dataclass(slots=True)
class Received:
    """A request as it stood on the wire."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class ScriptedServer:
    """Speaks HTTP/1.1 by hand, so that it can also break it. Plays `replies` in order, one a connection."""

    def __init__(self, replies: Iterable[Reply], port: int) -> None:
        self.replies = list(replies)
        self.received: list[Received] = []
        self.base_url = f"http://127.0.0.1:{port}/v1"

    def endpoint(self, api_key: str | None = KEY, *, kind: str = "openai-chat") -> Endpoint:
        return Endpoint(kind, self.base_url, "small", api_key)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.received.append(await _request(reader))
            reply = self.replies.pop(0)
            playing = asyncio.create_task(_play(reply, writer))
            leaving = asyncio.create_task(reader.read())  # ends when the client closes its side
            await asyncio.wait({playing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                reply.dropped.set()
            playing.cancel()
            leaving.cancel()
            await asyncio.gather(playing, leaving, return_exceptions=True)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


async def _request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, target, headers, body)


async def _play(reply: Reply, writer: asyncio.StreamWriter) -> None:
    headers = {
        "Content-Type": reply.content_type,
        "Transfer-Encoding": "chunked",
        "Connection": "close",
    } | reply.headers
    lines = [f"HTTP/1.1 {reply.status} Status", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    for piece in reply.pieces:
        if isinstance(piece, Gate):
            await piece.passed()
        elif piece:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
    if reply.ending == "hang":
        await asyncio.Event().wait()
    if reply.ending == "close":
        writer.write(b"0\r\n\r\n")
        await writer.drain()


@asynccontextmanager
async def scripted_server(*replies: Reply, tls: ssl.SSLContext | None = None) -> AsyncIterator[ScriptedServer]:
    """A server on a free loopback port that plays `replies`."""
    server: ScriptedServer | None = None

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert server is not None
        await server.serve(reader, writer)

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    server = ScriptedServer(replies, listener.sockets[0].getsockname()[1])
    async with listener:
        yield server


@pytest.fixture
def kind() -> str:
    """The API whose answers a test plays; test_client_contract.py has all of them in its place."""
    return "openai-chat"


@pytest.fixture(params=["real client", "scripted client"])
def playing(request: pytest.FixtureRequest, kind: str) -> "Implementation":
    """Plays replies to a client: `async with playing(reply) as setting`."""
    from tests.llm.playing import over_http, scripted

    return partial(over_http if request.param == "real client" else scripted, kind)
