"""A model server that means harm, on real sockets: each attack is what it sends, byte by byte, after the request came."""

import functools
import gzip
import json
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple

# What the person has seen before the attack begins, where it begins after that.
FIRST_WORDS = "The light blinks"
_GIGABYTE = 1 << 30
_PIECE = b"x" * 65_536
_WAIT_S = 60.0
_SSE = "text/event-stream"


class Attack(NamedTuple):
    """`sends` gets a maker of one delta in the dialect that is asked. `keeps`: text came first, and is to be kept.

    `stopped`: it goes on for ever, and is over when the person stops it. `resets`: the connection ends as of a server that died.
    """

    sends: "Callable[[Callable[[str], bytes]], Iterator[bytes]]"
    keeps: bool = False
    stopped: bool = False
    resets: bool = False


Delta = Callable[[str], bytes]


def delta_of(kind: str) -> Delta:
    """One piece of text as that dialect streams it."""
    shapes: dict[str, Callable[[str], object]] = {
        "openai-chat": lambda text: {"choices": [{"index": 0, "delta": {"content": text}}]},
        "openai-responses": lambda text: {"type": "response.output_text.delta", "delta": text},
        "anthropic": lambda text: {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text},
        },
        "gemini": lambda text: {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]},
        "ollama": lambda text: {"message": {"role": "assistant", "content": text}, "done": False},
    }
    shape = shapes[kind]

    def delta(text: str) -> bytes:
        data = json.dumps(shape(text), ensure_ascii=False).encode()
        return data + b"\n" if kind == "ollama" else b"data: " + data + b"\n\n"

    return delta


def _head(status: str = "200 OK", *more: str, kind: str = _SSE) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", *more]
    return "\r\n".join([*lines, "", ""]).encode()


def _begun(delta: Delta) -> bytes:
    return _head() + delta(FIRST_WORDS)


def _endless(begin: bytes, piece: bytes) -> Iterator[bytes]:
    yield begin
    for _ in range(_GIGABYTE // len(piece)):
        yield piece


@functools.cache
def _bomb(byte: bytes) -> bytes:
    """A gigabyte of one byte, as gzip: a few megabytes."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    megabyte = byte * (1 << 20)
    return b"".join([*(packer.compress(megabyte) for _ in range(_GIGABYTE >> 20)), packer.flush()])


def _slowly(data: bytes) -> Iterator[bytes]:
    for number in range(len(data)):
        time.sleep(0.2)
        yield data[number : number + 1]


def _trickle(delta: Delta) -> Iterator[bytes]:
    yield _begun(delta)
    yield from _slowly(delta("w" * 2000))


ATTACKS: dict[str, Attack] = {
    "a line without an end": Attack(lambda delta: _endless(_begun(delta) + b"data: ", _PIECE), keeps=True),
    "an answer of a gigabyte": Attack(lambda delta: _endless(_begun(delta), delta("x" * 60_000)), keeps=True),
    "a gigabyte of nothing": Attack(lambda delta: _endless(_begun(delta), b"\n" * 65_536), keeps=True),
    "a gigabyte of comments": Attack(lambda delta: _endless(_begun(delta), b": ping\n\n" * 8000), keeps=True),
    "a gzip bomb of zeros": Attack(lambda _: iter([_head("200 OK", "Content-Encoding: gzip"), _bomb(b"\0")])),
    "a gzip bomb of empty lines": Attack(lambda _: iter([_head("200 OK", "Content-Encoding: gzip"), _bomb(b"\n")])),
    "damaged gzip": Attack(
        lambda delta: iter([_head("200 OK", "Content-Encoding: gzip"), gzip.compress(delta("x"))[:20]])
    ),
    "a slow trickle": Attack(_trickle, keeps=True, stopped=True),
    "invalid UTF-8": Attack(
        lambda delta: iter([_begun(delta).replace(b"light", b"l\xff\xfe\xc0ght"), b"data: \xff\n\n"])
    ),
    "a zero byte between events": Attack(
        lambda delta: iter([_begun(delta), b"\0\0\0\n\n", delta("\0")[:-4]]), keeps=True
    ),
    "a flood of headers": Attack(lambda _: _endless(b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"a" * 8000 + b"\r\n")),
    "a chunk with a wrong length": Attack(
        lambda delta: iter([_head("200 OK", "Transfer-Encoding: chunked"), b"FFFFFFFFFFFFFFFFF\r\n", delta("x")])
    ),
    "a chunk without a number": Attack(
        lambda delta: iter([_head("200 OK", "Transfer-Encoding: chunked"), b"zz\r\n", delta("x"), b"\r\n"])
    ),
    "a body shorter than announced": Attack(
        lambda delta: iter([_head("200 OK", "Content-Length: 999999"), delta(FIRST_WORDS)]), keeps=True
    ),
    "a web page": Attack(lambda _: iter([_head(kind="text/html"), b"<!doctype html><title>Log in</title>"])),
    "100,000 empty events": Attack(lambda _: iter([_head(), b"data: \n\n" * 100_000])),
    "a reset in an event": Attack(lambda delta: iter([_begun(delta), delta("more")[:20]]), keeps=True, resets=True),
    "an error of a gigabyte": Attack(lambda _: _endless(_head("400 Bad Request", kind="application/json"), _PIECE)),
    "JSON nested a million deep": Attack(
        lambda delta: iter([_begun(delta), b'data: {"a":' + b"[" * 1_000_000 + b"\n\n"]), keeps=True
    ),
    "a number of a million digits": Attack(
        lambda delta: iter([_begun(delta), b"data: " + b"9" * 1_000_000 + b"\n\n"]), keeps=True
    ),
    "no HTTP": Attack(lambda _: iter([b"SSH-2.0-OpenSSH_9.6\r\n"])),
    "nothing": Attack(lambda _: iter([])),
}


@dataclass(slots=True)
class HostileServer:
    """Two listeners: the one that is asked, and the one that it sends on to, which must never be told the key."""

    port: int = 0
    elsewhere: int = 0
    attack: Attack = ATTACKS["nothing"]
    delta: Delta = field(default_factory=lambda: delta_of("openai-chat"))
    redirects: bool = False
    heard: threading.Event = field(default_factory=threading.Event)  # the client has been told some of the answer
    told_elsewhere: list[bytes] = field(default_factory=list)
    sent: int = 0

    def answer(self, connection: socket.socket) -> None:
        """Read the request, then attack."""
        connection.settimeout(_WAIT_S)
        _read(connection)
        if self.redirects:
            connection.sendall(_head("307 Temporary Redirect", f"Location: http://localhost:{self.elsewhere}/v1"))
            return
        for piece in self.attack.sends(self.delta):
            connection.sendall(piece)
            self.sent += len(piece)
        if self.attack.resets:
            self.heard.wait(_WAIT_S)  # a reset takes away what was sent and not read yet
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def overhear(self, connection: socket.socket) -> None:
        """What comes to the other host."""
        connection.settimeout(5)
        with suppress(OSError):
            self.told_elsewhere.append(connection.recv(65_536))


def _read(connection: socket.socket) -> None:
    """The whole request: what is left unread would make the end a reset."""
    request = b""
    while b"\r\n\r\n" not in request and (data := connection.recv(65_536)):
        request += data
    head, _, body = request.partition(b"\r\n\r\n")
    sizes = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    left = int(sizes[0]) - len(body) if sizes else 0
    while left > 0 and (data := connection.recv(65_536)):
        left -= len(data)


@contextmanager
def running() -> Iterator[HostileServer]:
    """Both listeners, for the block."""
    server = HostileServer()
    with _listener(server.answer) as server.port, _listener(server.overhear) as server.elsewhere:
        yield server


@contextmanager
def _listener(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    listener = socket.create_server(("127.0.0.1", 0))

    def each(connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the host hangs up on what it has had enough of
            serve(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=each, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
