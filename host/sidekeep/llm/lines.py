"""One JSON document a line (NDJSON), cut from bytes. A parser without I/O: `feed(bytes) -> list[str]`.

A line feed stands in no JSON document but between its tokens, and is ASCII: lines are cut from bytes and decoded whole.
"""

from sidekeep.llm.sse import MAX_EVENT_BYTES, EventTooLong


class LineDecoder:
    """Collects bytes into lines; empty ones are left out."""

    def __init__(self, *, max_line_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_line_bytes = max_line_bytes
        self._pending = bytearray()

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that `chunk` completes. Raises EventTooLong; the decoder cannot be used after that."""
        *whole, rest = chunk.split(b"\n")
        lines = []
        for line in whole:
            self._add(line)
            lines += self.end()
        self._add(rest)
        return lines

    def end(self) -> list[str]:
        """The line that lacks its line feed, if it holds anything."""
        line = self._pending.decode("utf-8", "replace").strip()
        self._pending.clear()
        return [line] if line else []

    def _add(self, piece: bytes) -> None:
        self._pending += piece
        if len(self._pending) > self._max_line_bytes:
            raise EventTooLong(f"one line of the stream is longer than {self._max_line_bytes} bytes")
