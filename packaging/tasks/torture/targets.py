"""What is fuzzed, as functions of bytes: they return where all is well, and raise Wrong (or anything else) where it is not.

`seeds/` has inputs for each to begin from, among them all that ever went wrong; tests feed them again.
"""

import functools
import itertools
import json
import random
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from sidekeep.domain import plain_json
from sidekeep.errors import Unreadable
from sidekeep.protocol import methods
from sidekeep.transfer.documents import documents
from sidekeep.transfer.reading import conversations, surveyed
from sidekeep.transport import framing
from sidekeep.transport.framing import MAX_INCOMING_BYTES, FrameParser, FrameTooLong
from sidekeep.transport.parts import PartAssembler, PartRefused, split
from tasks.torture import fuzz
from tasks.torture.fault import Outcome

SEEDS = Path(__file__).with_name("seeds")
_LENGTH = struct.Struct("=I")
_INPUTS_A_STORE = 5000


class Wrong(Exception):
    """What was expected of the code does not hold for an input."""


class Target(NamedTuple):
    """`check` takes one input; of all inputs it gets `share`. `made`: inputs to begin from beside those of `seeds/`.

    `as_json`: they are JSON, and are changed as values too.
    """

    check: Callable[[bytes], None]
    share: float
    made: Callable[[], list[bytes]] = list
    as_json: bool = True


def frames(data: bytes) -> None:
    """Frames are the same wherever the stream is cut, and what a reader of ten lines finds in it."""
    expected, too_long = _frames_in(data)
    for cuts in ((), range(len(data)), range(0, len(data), 1 + len(data) % 7)):
        found, ended = _fed(data, cuts)
        if (found, ended) != (expected, too_long):
            raise Wrong(f"cut at {cuts}: {len(found)} frames, {ended}; expected {len(expected)}, {too_long}")
    sent = b"".join(map(framing.encode, expected))
    if _fed(sent, ()) != (expected, 0):
        raise Wrong("frames that are sent again are others")


def _frames_in(data: bytes) -> tuple[list[bytes], int]:
    """The frames of a stream, and the length that ends it where no browser sends such a one."""
    found: list[bytes] = []
    while len(data) >= _LENGTH.size:
        (length,) = _LENGTH.unpack_from(data)
        if length > MAX_INCOMING_BYTES:
            return found, length
        if len(data) < _LENGTH.size + length:
            break
        found += [data[_LENGTH.size : _LENGTH.size + length]] if length else []
        data = data[_LENGTH.size + length :]
    return found, 0


def _fed(data: bytes, cuts: "range | tuple[()]") -> tuple[list[bytes], int]:
    parser = FrameParser()
    found = []
    edges = [0, *cuts, len(data)]
    try:
        for start, end in itertools.pairwise(edges):
            for frame in parser.feed(data[start:end]):
                found.append(frame)  # noqa: PERF402  what came before the error counts
    except FrameTooLong as exc:
        return found, exc.length
    return found, 0


def parts(data: bytes) -> None:
    """Any series of parts is joined or refused; any message that is split is joined again."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return
    _joined(value if isinstance(value, list) else [value])
    try:
        message = orjson.dumps(value)
    except TypeError:  # too deep to be written
        return
    size = 4 + len(data) % 61
    assembler = PartAssembler()
    envelopes = [orjson.loads(envelope) for envelope in split(message, size)]
    whole = [assembler.feed(envelope["part"]) for envelope in envelopes]
    if whole[-1] is None or any(whole[:-1]) or orjson.loads(whole[-1]) != value:
        raise Wrong(f"a message that was split at {size} bytes is another")


def _joined(series: list[Any]) -> None:
    """A message has the texts of its stream's parts, from the one numbered 0 on."""
    assembler = PartAssembler(max_stream_bytes=200, max_streams=3)
    texts: dict[str, list[str]] = {}
    for part in series:
        try:
            message = assembler.feed(part)
        except PartRefused as refused:
            texts.pop(refused.data["stream"], None)
            continue
        stream = part["stream"]
        if part["seq"] == 0:
            texts[stream] = []
        elif stream not in texts:
            if message is not None:
                raise Wrong("a message of a stream that had not begun")
            continue
        texts[stream].append(part["text"])
        if message is not None and message != "".join(texts.pop(stream)).encode("utf-8", "surrogatepass"):
            raise Wrong("a message is not what its parts say")
        if len(texts) > 3:
            raise Wrong("more streams than may be open")


@functools.cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    """Where inputs may lie; it goes with the process."""
    return tempfile.TemporaryDirectory(prefix="sidekeep-torture-")


class _Connection:
    """A host's connection for some thousand messages."""

    def __init__(self) -> None:
        self._outcome = Outcome("messages", 0)
        self._target = self._opened()
        self._left = _INPUTS_A_STORE

    def _opened(self) -> fuzz.Target:
        return fuzz.Target(Path(_folder().name), self._outcome, calls=False)

    def take(self, data: bytes) -> None:
        if not self._left:
            self._target.close()
            self._target, self._left = self._opened(), _INPUTS_A_STORE
        self._left -= 1
        self._target.take(_LENGTH.pack(len(data)) + data, random.Random(len(data)))
        if self._outcome.found:
            raise Wrong(self._outcome.found.pop())


@functools.cache
def _connection() -> _Connection:
    return _Connection()


def messages(data: bytes) -> None:
    """A message is answered with JSON; the first one's reader reads as the others' does."""
    _connection().take(data)
    try:
        value = plain_json.loads(data)
    except plain_json.Unusual:
        return
    if value != orjson.loads(data):
        raise Wrong("hello's reader reads something else")


def imports(data: bytes) -> None:
    """A file is read to its end or refused with a sentence, whatever it is."""
    file = Path(_folder().name) / "export"
    file.write_bytes(data)
    try:
        with documents(file) as found:
            for document in found:
                for _ in conversations(surveyed(document)):
                    pass
    except Unreadable as exc:
        if not exc.message.endswith("."):
            raise Wrong(f"no sentence: {exc.message}") from exc


def _requests() -> list[bytes]:
    rng = random.Random(0)
    made = [
        {"jsonrpc": "2.0", "id": 1, "method": name, "params": fuzz.params_of(rng, name)} for name in methods.METHODS
    ]
    return [json.dumps(message).encode() for message in made]


TARGETS: dict[str, Target] = {
    "frames": Target(frames, 0.3, as_json=False),
    "parts": Target(parts, 0.25),
    "messages": Target(messages, 0.3, _requests),
    "imports": Target(imports, 0.15),
}


def seeds(name: str) -> list[bytes]:
    """The inputs that a target begins from."""
    return [file.read_bytes() for file in sorted((SEEDS / name).iterdir())] + TARGETS[name].made()
