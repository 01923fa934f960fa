"""The connection to the browser: whole messages in, whole messages out."""

from collections.abc import Iterator

from sidekeep.transport import framing, parts
from sidekeep.transport.stdio import Stdio

DEFAULT_PART_BYTES = 131_072  # the fastest size measured: docs/protocol.md, Frames


class Connection:
    """Frames over stdio. A message over the part size leaves as parts, each a write of its own, so small ones get between."""

    def __init__(self, stdio: Stdio, *, part_bytes: int = DEFAULT_PART_BYTES) -> None:
        self._stdio = stdio
        self._parser = framing.FrameParser()
        self.part_bytes = part_bytes
        self.ending = False

    def frames(self) -> Iterator[bytes]:
        """Payloads until the end of input; once `ending` is set, those that have come already.

        Raises framing.FrameTooLong at a length that cannot be skipped.
        """
        while (not self.ending or self._stdio.has_input()) and (data := self._stdio.read()):
            yield from self._parser.feed(data)

    @property
    def cut_short(self) -> int:
        """Bytes of a last frame that never became whole."""
        return self._parser.pending

    def send(self, message: bytes) -> None:
        """Send the JSON of one message; nothing once `ending` is set. Raises stdio.Disconnected."""
        if self.ending:
            return
        if len(message) <= self.part_bytes:
            self._stdio.write(framing.encode(message))
            return
        for part in parts.split(message, self.part_bytes):
            self._stdio.write(framing.encode(part))
