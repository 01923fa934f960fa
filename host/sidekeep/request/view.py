"""A conversation as the request side sees it: roles, texts, pictures."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from sidekeep.domain import pixels
from sidekeep.domain.message import StoredMessage


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: kept in the store under `sha256`, or given by a `url` that was never a picture of ours."""

    sha256: bytes = b""
    url: str = ""


Part = Text | Image


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the conversation."""

    message_id: str
    role: str
    parts: tuple[Part, ...]

    @property
    def images(self) -> int:
        return sum(isinstance(part, Image) for part in self.parts)


def view(message: StoredMessage) -> Entry:
    """A stored message as an entry; its pictures are referred to, not read.

    Where a picture was cut out its hash stands in for it, so that a URL which was empty all along is not taken for one.
    """
    named = [cut.sha256.hex().encode() for cut in message.cuts]
    content = orjson.loads(pixels.join(message.body, message.cuts, named)).get("content")
    parts: tuple[Part, ...]
    if isinstance(content, str):
        parts = (Text(content),) if content else ()
    else:
        parts = tuple(_parts(content if isinstance(content, list) else [], message))
    return Entry(message.message_id, message.role, parts)


def _parts(content: list[Any], message: StoredMessage) -> Iterator[Part]:
    pictures = {cut.head + cut.sha256.hex(): cut.sha256 for cut in message.cuts}
    for part in content:
        if not isinstance(part, dict):
            continue
        text = part.get("text")
        if part.get("type") == "text" and isinstance(text, str):
            if text:
                yield Text(text)
        elif isinstance(part.get("image_url"), dict):
            url = part["image_url"].get("url")
            if isinstance(url, str) and url in pictures:
                yield Image(sha256=pictures[url])
            elif isinstance(url, str) and url:
                yield Image(url=url)
