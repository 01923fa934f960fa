"""A real HTTP server that plays the scripts of sidekeep.llm.scripted, and the offline model's weights."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import pytest

from sidekeep.llm.scripted import Gate, Reply
from sidekeep.llm.types import Endpoint

WAIT_S = 10
KEY = "sk-secret-0123456789"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


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

    def endpoint(self, api_key: str | None = KEY) -> Endpoint:
        return Endpoint("openai-chat", self.base_url, "small", api_key)

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
