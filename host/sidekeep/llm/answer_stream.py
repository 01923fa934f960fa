"""A model's answer, decoded from the body's bytes. A parser without I/O: `feed(bytes) -> list[Event]`.

Servers answer a stream request with an event stream, with one JSON document a line, with one whole document, with an error
object under a 200, or with a web page. Which it is shows in the first byte; the content type often lies. What the JSON
says is read by the API's own piece.Reader.
"""

import json
from collections.abc import Iterable
from typing import Any

from sidekeep.errors import ProviderFailed
from sidekeep.llm.answer import Answer
from sidekeep.llm.failures import Failures
from sidekeep.llm.json_members import parse_json
from sidekeep.llm.lines import LineDecoder
from sidekeep.llm.piece import Piece, Reader, error_of
from sidekeep.llm.sse import MAX_IGNORED_BYTES, EventTooLong, ServerSentEvent, SSEDecoder
from sidekeep.llm.stop_reasons import Stop, meaning_of
from sidekeep.llm.types import Event, Finished, ReasoningDelta, TextDelta

MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
MAX_STREAM_BYTES = 256 * 1024 * 1024  # some 250 bytes of JSON carry one token: a million tokens
MAX_CHARS = 4_000_000  # a million tokens, too: what is longer is no answer, and takes the store seconds to write
MAX_SILENT_BYTES = 16 * 1024 * 1024  # between two pieces of an answer; one event may have half of it

_CUT = "broke off in the middle of the answer: {}. Send again."
_NOT_AN_ANSWER = "answered with something that is not a chat answer. Check the base URL and the kind of the provider."
_ENDLESS = "sends an answer without an end. It was dropped."


class AnswerStream:
    """Decodes one answer. The caller yields what `feed` and `end` return, then looks at `failure` and `done`.

    A failure is kept, not raised, because the deltas that came in the same chunk go first.
    """

    def __init__(self, failures: Failures, reader: Reader) -> None:
        self._failures = failures
        self._reader = reader
        self._sse: SSEDecoder | None = None
        self._lines: LineDecoder | None = None
        self._head = bytearray()
        self._bytes = self._silent_bytes = self._chars = 0
        self._answer = Answer(think_tags=reader.think_tags)
        self._any_event = False
        self.done = False
        self.failure: ProviderFailed | None = None

    @property
    def stopped(self) -> bool:
        """The server has said why it stopped; only the usage may follow."""
        return bool(self._answer.stop)

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that `chunk` completes."""
        self._bytes += len(chunk)
        if self._bytes > MAX_STREAM_BYTES:
            return self._bad(_ENDLESS)
        if self._sse is None and self._lines is None:
            self._head += chunk
            chunk = self._opened()
        if self._sse is None and self._lines is None:
            return []
        try:
            events = self._decoded(chunk)
        except EventTooLong as exc:
            return self._bad(f"was dropped: {exc}.")
        return events + self._bad(_ENDLESS) if self._is_endless(events, len(chunk)) else events

    def end(self, cut: str = "") -> list[Event]:
        """Nothing more comes: the body has ended or, where `cut` says how, the connection broke."""
        if self._over():
            return []
        if self._sse is None and self._lines is None:
            return self._document(cut)
        events = self._events(event for event in self._unfinished() if _is_whole(event.data))
        if self._over():
            return events
        if self.stopped:
            return events + self._finish()
        cut = cut or ("it ended without its last event" if self._any_event else "")
        return events + (self._cut_off(cut, self._ignored()) if cut else self._bad(_NOT_AN_ANSWER, self._ignored()))

    def _decoded(self, chunk: bytes) -> list[Event]:
        if self._sse is not None:
            return self._events(self._sse.feed(chunk))
        return self._events(map(ServerSentEvent, self._lines.feed(chunk))) if self._lines is not None else []

    def _is_endless(self, events: list[Event], chunk_bytes: int) -> bool:
        """Whether the answer is longer than any, or what comes has not been part of one for too long."""
        self._silent_bytes = 0 if events else self._silent_bytes + chunk_bytes
        self._chars += sum(len(event.text) for event in events if isinstance(event, (TextDelta, ReasoningDelta)))
        return not self._over() and (self._silent_bytes > MAX_SILENT_BYTES or self._chars > MAX_CHARS)

    def _opened(self) -> bytes:
        """What the first bytes show the body to be; returns those of an event stream or of lines, else nothing."""
        start = bytes(self._head[:1024]).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if start == b"{" and self._reader.lines:
            self._lines = LineDecoder()
        elif start in (b"{", b"["):
            if len(self._head) > MAX_DOCUMENT_BYTES:
                self._bad(_ENDLESS)
            return b""
        elif start == b"<":
            self._bad(f"{_NOT_AN_ANSWER.partition('.')[0]}: it is a web page. Check the base URL.", bytes(self._head))
            return b""
        elif not start and len(self._head) <= 1024:
            return b""  # DeepSeek keeps a waiting connection alive with empty lines, whatever comes after them
        else:
            self._sse = SSEDecoder()
        return bytes(self._head).removeprefix(b"\xef\xbb\xbf") if self._lines else bytes(self._head)

    def _unfinished(self) -> list[ServerSentEvent]:
        """The event that the end cut short; many servers leave out the last blank line."""
        if self._lines is not None:
            return [ServerSentEvent(line) for line in self._lines.end()]
        last = self._sse.end() if self._sse is not None else None
        return [] if last is None else [last]

    def _ignored(self) -> bytes:
        return bytes(self._sse.ignored) if self._sse is not None else b""

    def _events(self, received: Iterable[ServerSentEvent]) -> list[Event]:
        events: list[Event] = []
        for event in received:
            events += self._event(event)
            if self._over():
                return events
        if self._sse is not None and not self._any_event and len(self._sse.ignored) >= MAX_IGNORED_BYTES:
            return self._bad(_NOT_AN_ANSWER, self._ignored())
        return events

    def _event(self, event: ServerSentEvent) -> list[Event]:
        data = event.data.strip()
        self._any_event = True
        if not data:
            return []
        if data == "[DONE]":
            return self._finish()
        try:
            value = parse_json(data)
        except ValueError:
            return self._bad("sent a piece that is not JSON.", data.encode())
        if not isinstance(value, dict):
            return self._bad("sent a piece of unknown shape.", data.encode())
        if event.event == "error":
            return self._error(error_of(value) or value, data.encode(), "stream-error")
        delivered = "stream-error" if self._sse or self._answer.began else "in-200"
        piece = self._reader.read(value)
        if piece.error is not None and error_of(value) is None:
            data = json.dumps({"error": piece.error})  # what stands around it may hold the conversation
        return self._piece(piece, data.encode(), delivered)

    def _piece(self, piece: Piece, data: bytes, delivered: str) -> list[Event]:
        events = self._answer.add(piece)
        if piece.error is not None:
            return events + self._error(piece.error, data, delivered)
        return events + self._finish() if piece.last else events

    def _document(self, cut: str) -> list[Event]:
        """A whole answer, or a list of pieces (Gemini without `alt=sse`)."""
        body = bytes(self._head)
        try:
            value = parse_json(body.decode("utf-8-sig", "replace"))
        except ValueError:
            if cut:
                return self._cut_off(cut, body)
            return self._bad(_NOT_AN_ANSWER if body.strip() else "answered with nothing. Send again.", body, "in-200")
        events: list[Event] = []
        for item in value if isinstance(value, list) and value else [value]:
            piece = self._whole(item)
            if piece is None:
                return events + self._bad(_NOT_AN_ANSWER, body, "in-200")
            events += self._piece(piece, body, "in-200")
            if self._over():
                return events
        return events + self._finish()

    def _whole(self, value: Any) -> Piece | None:
        if not isinstance(value, dict):
            return None
        error = error_of(value)
        return self._reader.whole(value) if error is None else Piece(error=error)

    def _finish(self) -> list[Event]:
        """The answer's end, or what its stop reason or its emptiness make of it."""
        answer = self._answer
        events = answer.rest(whole=True)
        if answer.usage is not None:
            events.append(answer.usage)
        stop = meaning_of(answer.stop)
        if stop in (Stop.OVERFLOW, Stop.FILTERED, Stop.BROKEN) or not answer.said:
            self.failure = self._failures.stopped(stop, answer.stop, thought=answer.thought)
            return events
        self.done = True
        return [*events, Finished(answer.stop or None, capped=stop is Stop.CAPPED)]

    def _over(self) -> bool:
        return self.done or self.failure is not None

    def _error(self, error: Any, data: bytes, delivered: str) -> list[Event]:
        return self._failed(self._failures.error_object(error, data, delivered=delivered))

    def _cut_off(self, cut: str, body: bytes) -> list[Event]:
        failure = self._failures.bad_response(_CUT.format(cut), body)
        failure.cut_off = True
        return self._failed(failure)

    def _bad(self, what: str, body: bytes = b"", delivered: str = "stream-error") -> list[Event]:
        return self._failed(self._failures.bad_response(what, body, delivered=delivered))

    def _failed(self, failure: ProviderFailed) -> list[Event]:
        """Keep the failure; returns what was held back, for what has come is kept."""
        self.failure = failure
        return self._answer.rest(whole=False)


def _is_whole(data: str) -> bool:
    try:
        return data.strip() == "[DONE]" or isinstance(parse_json(data), dict)
    except ValueError:
        return False
