"""Cutting pictures out of a message and putting them back, byte for byte.

A message's body is kept as JSON without its pictures. Where a data URL stood, the body has an empty string and a `Cut`
remembers the byte position, so that putting the pictures back is joining slices: nothing is parsed, nothing is escaped
(base64 needs none).
"""

import binascii
import hashlib
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

_MAGIC = (
    (b"\x89PNG", b"image/png"),
    (b"\xff\xd8\xff", b"image/jpeg"),
    (b"GIF8", b"image/gif"),
    (b"RIFF", b"image/webp"),
    (b"<svg", b"image/svg+xml"),
)

# What a message says, and what it said before it was shortened (domain/shortened.py).
_MEMBERS_WITH_PICTURES = ("content", "original")


@dataclass(frozen=True, slots=True)
class Cut:
    """A place in a body where a picture belongs. `head` is the data URL up to and including the comma."""

    position: int
    sha256: bytes
    head: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Decoded pixels, as the file that was in the data URL."""

    sha256: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class Lifted:
    """A message split into its text part and its pictures. `cuts` are in order of position."""

    body: bytes
    cuts: tuple[Cut, ...]
    pictures: tuple[Picture, ...]


def lift(message: dict[str, Any]) -> Lifted:
    """Cut the data URLs of `content[*].image_url.url` out of `message`, and of `original` likewise; it stays unchanged.

    A URL whose base64 is not canonical stays in the body: it could not be put back as it was.
    """
    return _lifted(message, split_data_url)


def named(body: bytes, cuts: Sequence[Cut]) -> dict[str, Any]:
    """The message with each picture's hash where its base64 belongs: to be read, or to be changed and lifted again."""
    message: dict[str, Any] = orjson.loads(join(body, cuts, [cut.sha256.hex().encode() for cut in cuts]))
    return message


def lift_named(message: dict[str, Any], cuts: Sequence[Cut]) -> Lifted:
    """What `lift` gives for a message that `named` made, whatever was changed in it; its pictures have no data."""
    known = {cut.head + cut.sha256.hex(): (cut.head, Picture(cut.sha256, b"")) for cut in cuts}
    return _lifted(message, known.get)


_Split = Callable[[str], "tuple[str, Picture] | None"]


def _lifted(message: dict[str, Any], split: _Split) -> Lifted:
    if not any(isinstance(message.get(name), list) for name in _MEMBERS_WITH_PICTURES):
        return Lifted(orjson.dumps(message), (), ())
    mark = uuid.uuid4().hex
    found: list[tuple[str, Picture]] = []
    body = orjson.dumps(_mark_urls(message, mark, found, split))
    cuts: list[Cut] = []
    for number, (head, picture) in enumerate(found):
        token = b"%s-%d" % (mark.encode(), number)
        position = body.index(token)
        body = body[:position] + body[position + len(token) :]
        cuts.append(Cut(position, picture.sha256, head))
    return Lifted(body, tuple(cuts), tuple(picture for _, picture in found))


def _mark_urls(message: dict[str, Any], mark: str, found: list[tuple[str, Picture]], split: _Split) -> dict[str, Any]:
    marked = dict(message)
    for name in message:  # in the order in which the members will stand in the body
        if name in _MEMBERS_WITH_PICTURES and isinstance(message[name], list):
            marked[name] = [_mark_part(part, mark, found, split) for part in message[name]]
    return marked if found else message


def _mark_part(part: Any, mark: str, found: list[tuple[str, Picture]], split: _Split) -> Any:
    image = part.get("image_url") if isinstance(part, dict) else None
    url = image.get("url") if isinstance(image, dict) else None
    picture = split(url) if isinstance(url, str) else None
    if picture is None:
        return part
    found.append(picture)
    return {**part, "image_url": {**part["image_url"], "url": f"{mark}-{len(found) - 1}"}}


def split_data_url(url: str) -> tuple[str, Picture] | None:
    """The head and the picture of a base64 `data:image/…` URL; None for anything else and for base64 that is not canonical."""
    head, comma, text = url.partition(",")
    if not comma or not head.startswith("data:image/") or not head.endswith(";base64") or not text:
        return None
    try:
        encoded = text.encode("ascii")
        data = binascii.a2b_base64(encoded, strict_mode=True)
    except ValueError:  # binascii.Error and UnicodeEncodeError are ValueErrors
        return None
    if binascii.b2a_base64(data, newline=False) != encoded:
        return None
    return head + ",", Picture(hashlib.sha256(data).digest(), data)


def join(body: bytes, cuts: Sequence[Cut], base64_texts: Sequence[bytes]) -> bytes:
    """The body with `head` and base64 text put back at each cut."""
    pieces: list[bytes] = []
    start = 0
    for cut, text in zip(cuts, base64_texts, strict=True):
        pieces += (body[start : cut.position], orjson.dumps(cut.head)[1:-1], text)
        start = cut.position
    pieces.append(body[start:])
    return b"".join(pieces)


def data_url(data: bytes) -> bytes:
    """A picture's file as a data URL, its type told from its first bytes."""
    mime = next((mime for magic, mime in _MAGIC if data.startswith(magic)), b"image/png")
    return b"data:%s;base64,%s" % (mime, binascii.b2a_base64(data, newline=False))
