"""An OpenAI-compatible answer, decoded from the body's bytes. A parser without I/O: `feed(bytes) -> list[Event]`.

Servers that call themselves compatible answer a stream request with an event stream, with one JSON document, with an
error object under a 200, or with a web page. Which it is shows in the first byte; the content type often lies.
"""

from typing import Any

from sidekeep.errors import ProviderFailed
from sidekeep.llm.chat_chunks import SurrogateJoiner, choice_of, error_of, parse_json, text_and_reasoning, usage_of
from sidekeep.llm.failures import Failures
from sidekeep.llm.sse import MAX_IGNORED_BYTES, EventTooLong, ServerSentEvent, SSEDecoder
from sidekeep.llm.types import Event, Finished, ReasoningDelta, TextDelta, UsageReport

MAX_DOCUMENT_BYTES = 32 * 1024 * 1024
MAX_STREAM_BYTES = 256 * 1024 * 1024  # some 250 bytes of JSON carry one token: a million tokens

_CUT = "broke off in the middle of the answer: {}. Send again."
_NOT_CHAT = "answered with something that is not a chat answer. Check that the base URL is an OpenAI-compatible one."


class ChatStream:
    """Decodes one answer. The caller yields what `feed` and `end` return, then looks at `failure` and `done`.

    A failure is kept, not raised, because the deltas that came in the same chunk go first.
    """

    def __init__(self, failures: Failures) -> None:
        self._failures = failures
        self._sse: SSEDecoder | None = None
        self._head = bytearray()
        self._bytes = 0
        self._any_event = False
        self._usage: UsageReport | None = None
        self._text, self._reasoning = SurrogateJoiner(), SurrogateJoiner()
        self.finish_reason: str | None = None
        self.done = False
        self.failure: ProviderFailed | None = None

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that `chunk` completes."""
        self._bytes += len(chunk)
        if self._bytes > MAX_STREAM_BYTES:
            return self._fail(self._failures.bad_response("sends an answer without an end. It was dropped."))
        if self._sse is not None:
            return self._feed_sse(chunk)
        self._head += chunk
        start = bytes(self._head[:1024]).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if start in (b"{", b"["):
            if len(self._head) > MAX_DOCUMENT_BYTES:
                return self._fail(self._failures.bad_response("sends an answer without an end. It was dropped."))
            return []
        if start == b"<":
            return self._fail(self._failures.bad_response(f"{_NOT_CHAT[:-1]}: it is a web page.", bytes(self._head)))
        if not start and len(self._head) <= 1024:
            return []  # DeepSeek keeps a waiting connection alive with empty lines, whatever comes after them
        self._sse = SSEDecoder()
        return self._feed_sse(bytes(self._head))

    def end(self, cut: str = "") -> list[Event]:
        """Nothing more comes: the body has ended or, where `cut` says how, the connection broke."""
        if self._over():
            return []
        if self._sse is None:
            return self._document(cut)
        last = self._sse.end()
        events = self._event(last) if last is not None and _is_whole(last.data) else []
        if self._over():
            return events
        if self.finish_reason is not None:
            return events + self._finish()
        cut = cut or ("it ended without its last event" if self._any_event else "")
        what = _CUT.format(cut) if cut else _NOT_CHAT
        return events + self._fail(self._failures.bad_response(what, bytes(self._sse.ignored)))

    def _feed_sse(self, chunk: bytes) -> list[Event]:
        assert self._sse is not None
        try:
            received = self._sse.feed(chunk)
        except EventTooLong as exc:
            return self._fail(self._failures.bad_response(f"was dropped: {exc}."))
        events: list[Event] = []
        for event in received:
            if self._over():
                break
            events += self._event(event)
        if not self._any_event and len(self._sse.ignored) >= MAX_IGNORED_BYTES:
            return self._fail(self._failures.bad_response(_NOT_CHAT, bytes(self._sse.ignored)))
        return events

    def _event(self, event: ServerSentEvent) -> list[Event]:
        self._any_event = True
        data = event.data.strip()
        if data == "[DONE]":
            return self._finish()
        if not data:
            return []
        try:
            value = parse_json(data)
        except ValueError:
            return self._fail(self._failures.bad_response("sent a piece that is not JSON.", data.encode()))
        if event.event == "error" or error_of(value) is not None:
            error = error_of(value) or value
            return self._fail(self._failures.error_object(error, data.encode(), delivered="stream-event"))
        return self._chunk(value, data)

    def _document(self, cut: str) -> list[Event]:
        body = bytes(self._head)
        try:
            value = parse_json(body.decode("utf-8-sig", "replace"))
        except ValueError:
            what = _CUT.format(cut) if cut else _NOT_CHAT if body.strip() else "answered with nothing. Send again."
            return self._fail(self._failures.bad_response(what, body, delivered="error-in-200"))
        if (error := error_of(value)) is not None:
            return self._fail(self._failures.error_object(error, body, delivered="error-in-200"))
        if not isinstance(value, dict) or not isinstance(value.get("choices"), list):
            return self._fail(self._failures.bad_response(_NOT_CHAT, body, delivered="error-in-200"))
        events = self._chunk(value, body.decode("utf-8", "replace"))
        return events if self.failure else events + self._finish()

    def _chunk(self, value: Any, data: str) -> list[Event]:
        """One chunk of a stream, or a whole answer."""
        if not isinstance(value, dict):
            return self._fail(self._failures.bad_response("sent a piece of unknown shape.", data.encode()))
        self._usage = usage_of(value.get("usage")) or self._usage
        choice = choice_of(value)
        events = self._deltas(*text_and_reasoning(choice))
        reason = choice.get("finish_reason")
        if reason == "error":
            return events + self._fail(self._failures.error_object(None, data.encode(), delivered="stop-reason"))
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
        return events

    def _deltas(self, text: str, thought: str) -> list[Event]:
        events: list[Event] = []
        if thought := self._reasoning.join(thought):
            events.append(ReasoningDelta(thought))
        if text := self._text.join(text):
            events.append(TextDelta(text))
        return events

    def _finish(self) -> list[Event]:
        self.done = True
        events: list[Event] = [TextDelta(rest)] if (rest := self._text.rest()) else []
        if self._usage is not None:
            events.append(self._usage)
        return [*events, Finished(self.finish_reason)]

    def _over(self) -> bool:
        return self.done or self.failure is not None

    def _fail(self, failure: ProviderFailed) -> list[Event]:
        self.failure = failure
        return []


def _is_whole(data: str) -> bool:
    try:
        return data.strip() == "[DONE]" or isinstance(parse_json(data), dict)
    except ValueError:
        return False
