"""Messages that are too large for one frame, cut into parts and joined again (docs/protocol.md, Parts). No I/O here."""

import codecs
import itertools
from collections.abc import Iterator

from sidekeep.errors import InvalidRequest

MAX_STREAM_BYTES = 536_870_912
MAX_STREAMS = 8
REMEMBERED_REFUSALS = 64

_stream_numbers = itertools.count(1)


class PartRefused(InvalidRequest):
    """A part that cannot be taken; its stream has been dropped. `data.stream` names it."""

    def __init__(self, message: str, stream: str) -> None:
        super().__init__(message, stream=stream)


class PartAssembler:
    """Joins the parts of up to eight interleaved streams.

    A stream is refused once; the parts of it that are still on their way are swallowed until its last one, or a new start.
    """

    def __init__(self, *, max_stream_bytes: int = MAX_STREAM_BYTES, max_streams: int = MAX_STREAMS) -> None:
        self._streams: dict[str, list[bytes]] = {}
        self._sizes: dict[str, int] = {}
        self._refused: dict[str, None] = {}
        self._max_stream_bytes = max_stream_bytes
        self._max_streams = max_streams

    def feed(self, part: object) -> bytes | None:
        """Take one `part` object; the whole message's JSON when it was the last one, else None. Raises PartRefused."""
        try:
            stream, seq, last, text = _checked(part)
        except PartRefused as exc:
            named = exc.data["stream"]
            raise self._refuse(named, exc.message) if named in self._streams else exc from None
        if stream in self._refused and seq != 0:
            if last:
                del self._refused[stream]
            return None
        self._refused.pop(stream, None)
        self._admit(stream, seq)
        raw = text.encode("utf-8", "surrogatepass")
        self._sizes[stream] += len(raw)
        if self._sizes[stream] > self._max_stream_bytes:
            raise self._refuse(stream, f"Stream {stream!r} is larger than {self._max_stream_bytes} bytes.")
        self._streams[stream].append(raw)
        if not last:
            return None
        pieces = self._streams[stream]
        self.drop(stream)
        return b"".join(pieces)

    def _admit(self, stream: str, seq: int) -> None:
        if stream not in self._streams and seq == 0:
            if len(self._streams) >= self._max_streams:
                raise self._refuse(stream, f"More than {self._max_streams} messages in parts at once.")
            self._streams[stream], self._sizes[stream] = [], 0
        due = len(self._streams.get(stream, ()))
        if seq != due:
            raise self._refuse(stream, f"Part {seq} of stream {stream!r} came where part {due} was due.")

    def _refuse(self, stream: str, message: str) -> PartRefused:
        self.drop(stream)
        self._refused[stream] = None
        while len(self._refused) > REMEMBERED_REFUSALS:
            del self._refused[next(iter(self._refused))]
        return PartRefused(message, stream)

    def drop(self, stream: str) -> None:
        """Forget an unfinished stream; an unknown one is no error."""
        self._streams.pop(stream, None)
        self._sizes.pop(stream, None)


def _checked(part: object) -> tuple[str, int, bool, str]:
    if isinstance(part, dict):
        stream, seq, last, text = (part.get(name) for name in ("stream", "seq", "last", "text"))
        if (
            isinstance(stream, str)
            and isinstance(seq, int)
            and not isinstance(seq, bool)
            and isinstance(last, bool)
            and isinstance(text, str)
        ):
            return stream, seq, last, text
        raise PartRefused("A part needs stream, seq, last and text.", stream if isinstance(stream, str) else "")
    raise PartRefused("A part is an object with stream, seq, last and text.", "")


def split(message: bytes, part_bytes: int) -> Iterator[bytes]:
    """The envelopes of the parts that carry `message`, JSON without raw control characters (as orjson writes it).

    Slices are bytes, cut between code points; only quotes and backslashes need escaping, and a slice grows to 2.5 times at most.

    A slice of a large message with a few characters beyond ASCII has these as escapes of the message's own JSON: one emoji would
    make the browser keep megabytes of base64 beside it in two bytes a character (measured: 8 MB then take 730 ms and not 430).
    """
    narrow = _narrow if len(message) >= _LARGE_BYTES else bytes
    prefix = b'{"jsonrpc":"2.0","part":{"stream":"h%d","seq":' % next(_stream_numbers)
    start, seq = 0, 0
    while start < len(message):
        end = min(start + part_bytes, len(message))
        while end < len(message) and message[end] & 0xC0 == 0x80:
            end -= 1
        escaped = narrow(message[start:end]).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        last = b"true" if end == len(message) else b"false"
        yield b'%s%d,"last":%s,"text":"%s"}}' % (prefix, seq, last, escaped)
        start, seq = end, seq + 1


# The name of an error handler: what ASCII does not have is written as JSON escapes it.
_AS_JSON = "sidekeep.json"
# The bytes that UTF-8 takes more than there are characters. In a slice with more of them than one in so many, and more than a
# short last slice may have, the text is another script's: escapes would make it longer.
_FEW, _ALWAYS_FEW = 8, 512
# A smaller message, a chat's text as it is opened, would take longer to escape than it saves.
_LARGE_BYTES = 1024 * 1024


def _narrow(piece: bytes) -> bytes:
    """JSON text with its characters beyond ASCII escaped, where they are few."""
    if piece.isascii():
        return piece
    text = piece.decode("utf-8", "surrogatepass")
    few = max(len(piece) // _FEW, _ALWAYS_FEW)
    return text.encode("ascii", _AS_JSON) if len(piece) - len(text) <= few else piece


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


codecs.register_error(_AS_JSON, _escape)
