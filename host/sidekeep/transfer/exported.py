"""What is exported: stored messages as JSON with linked pictures, and what every writer does to them first."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import orjson

from sidekeep.domain import attachment
from sidekeep.domain.backup import in_words
from sidekeep.transfer.picture_links import link_of
from sidekeep.transfer.secret_values import json_may_hold
from sidekeep.transfer.secrets import without_secrets

REDACTED = "[URL]"
_URL = re.compile(r"\b(?:https?|ftp|file|wss?|chrome-extension)://[^\s<>\"')\]]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Item:
    """A message as it stands in its transcript. `message` is JSON, pictures as links (transfer/picture_links.py); id and time are
    the row's, because a message that was set through the storage area may carry none."""

    id: str
    created_at_ms: int
    message: bytes


@dataclass(frozen=True, slots=True)
class ExportedChat:
    """A chat with every transcript its family names, its own first. `entry` is the store's own record of it."""

    id: str
    name: str
    created_at_ms: int
    updated_at_ms: int
    entry: Mapping[str, Any]
    transcripts: Mapping[str, Sequence[Item]]

    @property
    def items(self) -> Sequence[Item]:
        """The conversation as it is now."""
        return next(iter(self.transcripts.values()), ())


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture in a message that is written for people."""

    sha256: str
    head: str


ShownPart: TypeAlias = str | ShownPicture


@dataclass(frozen=True, slots=True)
class Shown:
    """A message as people read it: who, when, texts and pictures in order. `page` are an attachment's header fields."""

    role: str
    created_at_ms: int
    parts: tuple[ShownPart, ...]
    model: str = ""
    page: Mapping[str, str] | None = None


def safe(item: Item, *, redact: bool) -> Item:
    """The item without anything that is a key; with `redact` also without addresses."""
    if not redact and not json_may_hold(item.message):
        return item
    message = orjson.loads(item.message)
    left = without_secrets(message)
    if redact:
        left = redacted(left)
    return item if left is message else replace(item, message=orjson.dumps(left))


def redacted(value: Any) -> Any:
    """The same JSON, each address in a text replaced."""
    if isinstance(value, str):
        return _URL.sub(REDACTED, value)
    if isinstance(value, dict):
        return {name: redacted(item) for name, item in value.items()}
    return [redacted(item) for item in value] if isinstance(value, list) else value


def shown(items: Iterable[Item]) -> Iterator[Shown]:
    """The messages for people. What is neither text nor picture is not shown."""
    for item in items:
        message = orjson.loads(item.message)
        parts = tuple(_parts(message.get("content")))
        model = message.get("model")
        first = parts[0] if parts and isinstance(parts[0], str) else ""
        page = attachment.header_fields(first) or None
        if page is not None:
            parts = (attachment.body_of(first), *parts[1:])
        yield Shown(str(message.get("role")), item.created_at_ms, parts, model if isinstance(model, str) else "", page)


def when(at_ms: int) -> str:
    """A time as people read it; "" for one beyond the calendar."""
    try:
        return in_words(at_ms)
    except (ValueError, OverflowError, OSError):
        return ""


def pictures_of(items: Iterable[Item]) -> Iterator[ShownPicture]:
    """The pictures that are linked from those messages."""
    for item in items:
        if b'"picture:' in item.message:
            yield from (part for part in _parts(orjson.loads(item.message).get("content")) if not isinstance(part, str))


def _parts(content: Any) -> Iterator[ShownPart]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        image = part.get("image_url") if isinstance(part, dict) else None
        if isinstance(image, dict):
            link = link_of(image.get("url"))
            if link is not None:
                yield ShownPicture(*link)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
