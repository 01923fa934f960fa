"""Server-sent events, decoded from bytes. A parser without I/O: `feed(bytes) -> list[ServerSentEvent]`.

After the HTML standard, 9.2.6 "Interpreting an event stream". Lines end at CR, LF or CRLF and nowhere else:
`str.splitlines` and httpx's `aiter_lines` also split at U+2028, U+2029 and U+0085, which stand unescaped in JSON and so
in answers. The three line ends are ASCII, so lines are cut from bytes and decoded whole: a network border never tears a
code point.
"""

import re
from dataclasses import dataclass

MAX_EVENT_BYTES = 8 * 1024 * 1024
MAX_IGNORED_BYTES = 64 * 1024

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class EventTooLong(ValueError):
    """One event is longer than the decoder may hold: the stream is broken or hostile, and must be dropped."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One dispatched event. `id` is the last event id at that moment, `retry_ms` the event's own `retry` field."""

    data: str
    event: str = "message"
    id: str = ""
    retry_ms: int | None = None


class SSEDecoder:
    """Collects bytes into events. `ignored` keeps the first 64 KiB of lines that are no field of the format.

    Some servers put a bare JSON error, or `error: {…}`, into a stream that has begun. The standard has those lines
    ignored, but they are the only words that say why the stream broke off.
    """

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._pending = bytearray()
        self._searched = 0  # a long line that comes in small pieces is searched for its end once, not once a piece
        self._skip_line_feed = False
        self._at_start = True
        self._event_bytes = 0
        self._last_id = ""
        self.ignored = bytearray()
        self._data: list[str] = []
        self._event = ""
        self._retry_ms: int | None = None

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that `chunk` completes. Raises EventTooLong; the decoder cannot be used after that."""
        if self._skip_line_feed and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._skip_line_feed = False
        self._pending += chunk
        events = [event for line in self._lines() if (event := self._take(line)) is not None]
        self._check(len(self._pending))
        return events

    def end(self) -> ServerSentEvent | None:
        """The event that the end of the stream cut short, if it has data. The standard drops it.

        Many servers leave out the last blank line, so the caller looks whether it is whole.
        """
        if self._pending:
            self._take(bytes(self._pending))
            self._pending.clear()
        return self._dispatch()

    def _lines(self) -> list[bytes]:
        lines: list[bytes] = []
        start = 0
        for match in _LINE_END.finditer(self._pending, self._searched):
            lines.append(bytes(self._pending[start : match.start()]))
            start = match.end()
        if lines and start == len(self._pending):
            # A CR at the border ends its line now, not a chunk later; the LF that may follow belongs to it.
            self._skip_line_feed = self._pending.endswith(b"\r")
        del self._pending[:start]
        self._searched = len(self._pending)
        return lines

    def _take(self, line: bytes) -> ServerSentEvent | None:
        if self._at_start:
            line = line.removeprefix(_BOM)
            self._at_start = False
        if not line:
            return self._dispatch()
        self._check(len(line))
        self._event_bytes += len(line)
        self._field(line)
        return None

    def _check(self, more: int) -> None:
        if self._event_bytes + more > self._max_event_bytes:
            raise EventTooLong(f"one event of the stream is longer than {self._max_event_bytes} bytes")

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._data.append(value.decode("utf-8", "replace"))
            case b"event":
                self._event = value.decode("utf-8", "replace")
            case b"id" if b"\0" not in value:
                self._last_id = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit():
                self._retry_ms = int(value[:18])
            case b"" | b"id" | b"retry":
                pass
            case _:
                self.ignored += (line + b"\n")[: MAX_IGNORED_BYTES - len(self.ignored)]

    def _dispatch(self) -> ServerSentEvent | None:
        data, event, retry_ms = self._data, self._event, self._retry_ms
        self._data, self._event, self._retry_ms, self._event_bytes = [], "", None, 0
        if not data:
            return None
        return ServerSentEvent("\n".join(data), event or "message", self._last_id, retry_ms)
