"""Messages: what a conversation is made of (docs/protocol.md, MESSAGE)."""

from dataclasses import dataclass, field, fields
from typing import Any, NewType, Self

from sidekeep.domain.pixels import Cut

MessageId = NewType("MessageId", str)

# An answer's member: the ids of the messages whose pictures it was given as pixels. So pictures are seen as long as the answer
# is there, in this conversation and its copies: not any more once it is asked again, not in a branch from before it.
SAW_MEMBER = "sawImagesOf"


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message on its way into the store. `size` is in bytes, its pictures included; `area_bytes` is the length of
    its JSON, pictures as base64, the way the storage area counts."""

    message_id: MessageId
    role: str
    created_at_ms: int
    attach_id: str | None
    size: int
    area_bytes: int
    body: bytes
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredMessage(NewMessage):
    """A message's row, which has a key. Rows are immutable and shared by every transcript that refers to them."""

    message_pk: int = field(kw_only=True)

    @classmethod
    def of(cls, message_pk: int, new: NewMessage) -> Self:
        """A message that has been given a key."""
        return cls(*(getattr(new, each.name) for each in fields(NewMessage)), message_pk=message_pk)


def text_of(content: Any) -> str:
    """The text of a message's content: the string itself, or its text parts, a blank line between them."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def saw(body: dict[str, Any]) -> list[str]:
    """The ids of the messages whose pictures were seen for this one."""
    ids = body.get(SAW_MEMBER)
    return [name for name in ids if isinstance(name, str)] if isinstance(ids, list) else []
