"""Native messaging frames: a 4-byte length in native byte order, then that many bytes of JSON in UTF-8. No I/O here.

Limits as measured in Chromium 156 (docs/protocol.md, Frames): 64 MiB to the host, 1 MiB to the browser, both inclusive.
"""

import struct
from collections.abc import Iterator

MAX_INCOMING_BYTES = 67_108_864
MAX_OUTGOING_BYTES = 1_048_576

_HEADER = struct.Struct("=I")


class FrameTooLong(Exception):
    """A length no browser sends. What follows cannot be skipped safely, so the connection ends.

    The length is mostly text that was printed into the stream: `text` is what its four bytes spell.
    """

    def __init__(self, length: int) -> None:
        raw = _HEADER.pack(length)
        self.length = length
        self.text = raw.decode("ascii") if all(32 <= byte < 127 for byte in raw) else ""
        said = (
            f", which spells {self.text!r}: something that is not a frame was written to the host" if self.text else ""
        )
        super().__init__(
            f"A frame of {length} bytes was announced{said}. At most {MAX_INCOMING_BYTES} bytes are accepted."
        )


class FrameParser:
    """Collects bytes and gives whole frames. Empty frames are skipped: they carry no message."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def pending(self) -> int:
        """Bytes of a frame that is not complete yet."""
        return len(self._buffer)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The payloads that became complete with `data`, in order, as they are asked for: all are, before the next `feed`.

        Raises FrameTooLong at an impossible length, after the payloads before it.
        """
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _HEADER.size:
            (length,) = _HEADER.unpack_from(buffer)
            if length > MAX_INCOMING_BYTES:
                raise FrameTooLong(length)
            end = _HEADER.size + length
            if len(buffer) < end:
                return
            with memoryview(buffer) as view:
                frame = bytes(view[_HEADER.size : end])
            del buffer[:end]
            if frame:
                yield frame


def encode(payload: bytes) -> bytes:
    """The frame that carries `payload`. Raises ValueError over the browser's limit: such a frame would close the port."""
    if len(payload) > MAX_OUTGOING_BYTES:
        raise ValueError(f"a frame of {len(payload)} bytes would close the port")
    return _HEADER.pack(len(payload)) + payload
