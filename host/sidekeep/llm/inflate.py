"""Compressed bodies, undone in pieces of bounded size.

Sidekeep asks for none. A server that compresses all the same is read, but through `max_length`: httpx inflates whatever
one network read holds at once, and 64 KiB of a gzip bomb are 64 MiB.
"""

import zlib
from collections.abc import Iterator

_PIECE_BYTES = 64 * 1024
_EITHER_HEADER = 32 + zlib.MAX_WBITS  # zlib finds out whether it is gzip or deflate


class Inflater:
    """Undoes one Content-Encoding."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding.strip().lower()
        self._inflate = zlib.decompressobj(_EITHER_HEADER)

    def feed(self, raw: bytes) -> Iterator[bytes]:
        """Pieces of at most 64 KiB. Raises ValueError for damaged data and for encodings nobody asked for."""
        if self._encoding in ("", "identity"):
            yield raw
        elif self._encoding in ("gzip", "x-gzip", "deflate"):
            yield from self._inflated(raw)
        else:
            raise ValueError("it is compressed in a way that was not asked for")

    def _inflated(self, raw: bytes) -> Iterator[bytes]:
        try:
            while raw and not self._inflate.eof:
                if piece := self._inflate.decompress(raw, _PIECE_BYTES):
                    yield piece
                raw = self._inflate.unconsumed_tail
        except zlib.error as exc:
            raise ValueError("its compression is damaged") from exc
