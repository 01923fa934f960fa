"""browsa: a dump of its storage area. `savedSessions` is a light index whose bodies are `session_<id>`, or the legacy form with
the `history` in each entry; `history` is the live conversation."""

from collections.abc import Iterable, Mapping
from typing import Any

from sidekeep.domain import attachment
from sidekeep.errors import Unreadable
from sidekeep.transfer import content
from sidekeep.transfer.assembly import content_id, unique_ids
from sidekeep.transfer.conversation import Conversation, Message, Part, Text
from sidekeep.transfer.values import Flag, Foreign, Time, Words, milliseconds, parsed

SOURCE = "browsa"
BODY_PREFIX = "session_"

# Members of a message that mean the same to Sidekeep.
_TAKEN = ("attachId", "imagesSeen", "videoSrc", "summarized", "interrupted", "provider", "model", "usage", "reasoning")


class Entry(Foreign):
    """An entry of `savedSessions`."""

    id: Words = ""
    name: Words = ""
    createdAt: Time = None
    updatedAt: Time = None
    pinned: Flag = False
    history: Any = None


def entry(record: Any) -> Entry:
    return parsed(Entry, record)


def read(history: Any, about: Entry) -> Conversation:
    """One conversation from its messages and its entry. Raises Unreadable."""
    if not isinstance(history, list):
        raise Unreadable("Its messages are no array.")
    messages = unique_ids(_message(number, raw) for number, raw in enumerate(history, start=1))
    return Conversation(
        SOURCE,
        about.id or content_id(history),
        messages,
        title=about.name,
        created_at_ms=about.createdAt,
        updated_at_ms=about.updatedAt,
        pinned=about.pinned,
    )


def _message(number: int, raw: Any) -> Message:
    if not isinstance(raw, dict) or not isinstance(raw.get("role"), str):
        raise Unreadable(f"Message {number} has no role.")
    message_id = raw.get("id")
    message_id = message_id if isinstance(message_id, str) and message_id else f"message-{number}"
    parts = tuple(_parts(raw.get("content")))
    extra = {name: raw[name] for name in _TAKEN if raw.get(name) not in (None, "", False)}
    if "attachId" not in extra and parts and isinstance(parts[0], Text) and attachment.header_fields(parts[0].text):
        extra["attachId"] = f"{message_id}-page"
    at_ms = milliseconds(raw.get("createdAt", raw.get("timestamp")))
    return Message(message_id, raw["role"], parts, at_ms, extra)


def _parts(value: Any) -> Iterable[Part]:
    if isinstance(value, str):
        yield from content.texts(value)
    for part in value if isinstance(value, list) else ():
        if not isinstance(part, Mapping):
            continue
        image = part.get("image_url")
        if isinstance(image, Mapping):
            yield content.image(image.get("url"))
        elif isinstance(image, str):
            yield content.image(image)
        elif isinstance(part.get("text"), str):
            yield from content.texts(part["text"])
