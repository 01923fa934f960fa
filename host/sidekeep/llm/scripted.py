"""A client that answers from a script, for tests of everything above `llm/`.

A script is bytes, as a server would send them, and passes the real decoder: what the turn service meets in a test is
what it meets in the world. tests/llm serves the same scripts over a real socket, to show that both clients agree.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sidekeep.errors import ProviderFailed
from sidekeep.llm.answer_stream import AnswerStream
from sidekeep.llm.api.table import APIS
from sidekeep.llm.failures import Failures
from sidekeep.llm.retry_after import retry_after_s
from sidekeep.llm.types import Endpoint, Event, ModelInfo


class Gate:
    """A point of a script that a test can wait for, and where the answer waits for the test."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self._opened = asyncio.Event()

    def open(self) -> None:
        """Let the answer go on."""
        self._opened.set()

    async def passed(self) -> None:
        """Called by whoever plays the script."""
        self.reached.set()
        await self._opened.wait()


Piece: TypeAlias = bytes | Gate


@dataclass(slots=True)
class Reply:
    """One answer: a status, the pieces of its body, and how it ends.

    "close" ends it properly, "cut" breaks the connection, "hang" sends nothing more until the client goes away, which
    sets `dropped`; so does a client that leaves at a Gate.
    """

    pieces: tuple[Piece, ...] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    ending: Literal["close", "cut", "hang"] = "close"
    headers: dict[str, str] = field(default_factory=dict)
    dropped: asyncio.Event = field(default_factory=asyncio.Event)


def says(*texts: str, reason: str | None = "stop", usage: dict[str, object] | None = None) -> Reply:
    """A whole streamed answer with one delta a text."""
    pieces = list(map(delta, texts))
    if reason is not None:
        pieces.append(event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
    if usage is not None:
        pieces.append(event({"choices": [], "usage": usage}))
    return Reply((*pieces, b"data: [DONE]\n\n"))


def breaks_off(*texts: str) -> Reply:
    """An answer whose connection is cut after the texts."""
    return Reply(tuple(map(delta, texts)), ending="cut")


def hangs(*texts: str) -> Reply:
    """An answer that never goes on after the texts."""
    return Reply(tuple(map(delta, texts)), ending="hang")


def refuses(status: int, message: str, **members: object) -> Reply:
    """An HTTP error in OpenAI's form; `members` go into its error object."""
    body = json.dumps({"error": {"message": message, **members}}).encode()
    return Reply((body,), status=status, content_type="application/json")


def document(value: object) -> Reply:
    """A 200 with one JSON document."""
    return Reply((json.dumps(value).encode(),), content_type="application/json")


def delta(text: str) -> bytes:
    """The event of one piece of text."""
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})


def event(value: object) -> bytes:
    """One event of a stream, with `value` as JSON."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


@dataclass(frozen=True, slots=True)
class SentRequest:
    """What a client was asked to send."""

    endpoint: Endpoint
    body: bytes


class ScriptedClient:
    """A types.ProviderClient that plays its replies in order; `requests` keeps what was sent.

    `listed` is what it answers, each time, to who asks for its models: a list, or a refusal. `on_request` is called as the
    request's first byte would leave. One request more than there are replies is an AssertionError: the code under test sent
    what it should not.
    """

    def __init__(
        self,
        replies: Iterable[Reply] = (),
        *,
        models: Iterable[ModelInfo] | Reply = (),
        on_request: Callable[[SentRequest], None] | None = None,
    ) -> None:
        self.replies = list(replies)
        self.requests: list[SentRequest] = []
        self.closed = False
        self.listed = models if isinstance(models, Reply) else list(models)
        self.times_listed = 0
        self._on_request = on_request

    async def stream(self, endpoint: Endpoint, body: bytes) -> AsyncGenerator[Event, None]:
        """See types.ProviderClient.stream."""
        failures = Failures(endpoint)
        reply = self._next(SentRequest(endpoint, body))
        answer = AnswerStream(failures, APIS[endpoint.kind].reader())
        try:
            if reply.status != 200:
                raise await _refusal(failures, reply)
            for piece in (*reply.pieces, None):
                for received in await _played(reply, piece, answer):
                    yield received
                if answer.failure is not None:
                    raise answer.failure
                if answer.done:
                    return
        except (asyncio.CancelledError, GeneratorExit):
            reply.dropped.set()
            raise

    async def models(self, endpoint: Endpoint) -> list[ModelInfo]:
        """See types.ProviderClient.models."""
        self.times_listed += 1
        if isinstance(self.listed, Reply):
            raise await _refusal(Failures(endpoint), self.listed)
        return list(self.listed)

    async def aclose(self) -> None:
        """See types.ProviderClient.aclose."""
        self.closed = True

    def _next(self, request: SentRequest) -> Reply:
        self.requests.append(request)
        if self._on_request is not None:
            self._on_request(request)
        assert self.replies, "a request more than the script has replies"
        return self.replies.pop(0)


async def _played(reply: Reply, piece: Piece | None, answer: AnswerStream) -> list[Event]:
    """The events of one piece; None is the end of the script."""
    if isinstance(piece, Gate):
        await piece.passed()
        return []
    await asyncio.sleep(0)  # a network read lets other tasks run too
    if piece is not None:
        return answer.feed(piece)
    if reply.ending == "hang":
        await asyncio.Event().wait()
    return answer.end("the connection was cut" if reply.ending == "cut" else "")


async def _refusal(failures: Failures, reply: Reply) -> ProviderFailed:
    await asyncio.sleep(0)
    body = b"".join(piece for piece in reply.pieces if isinstance(piece, bytes))
    headers = {name.lower(): value for name, value in reply.headers.items()}
    return failures.http_error(reply.status, body, retry_after_s=retry_after_s(headers, time.time()))
