"""archive.* (docs/protocol.md, Archive)."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from sidekeep.protocol.model import Count, Millis, Name, Params, Shape, Text
from sidekeep.protocol.shapes import Message, Pixels


class Archive(Shape):
    """What left a conversation. `part`: a chat, a transcript from before a compaction, or messages that were taken out."""

    id: str
    sessionId: str
    chat: str | None
    name: str
    folder: str | None
    reason: Literal["reset", "deleted"]
    evicted: bool
    part: Literal["chat", "earlier", "messages"]
    archivedAt: Millis
    messages: int
    bytes: int


class ListParams(Params):
    query: Text | None = None
    reason: Literal["reset", "deleted"] | None = None
    evicted: bool | None = None
    limit: Annotated[int, Field(ge=0, le=10_000)] = 50
    offset: Count = 0


class ArchiveList(Shape):
    archives: list[Archive]
    total: int


class GetParams(Params):
    id: Name
    pixels: Pixels = "thumbnail"


class ArchiveWithMessages(Shape):
    archive: Archive
    messages: list[Message]


class IdParams(Params):
    id: Name


class PurgeParams(Params):
    """Either the archives named, or those from before a time."""

    ids: Annotated[list[Name], Field(max_length=10_000)] | None = None
    before: Count | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "PurgeParams":
        if (self.ids is None) == (self.before is None):
            raise ValueError("name either ids or before")
        return self


class Purged(Shape):
    """`bytes` were given back; `backups` are files that still hold some of it."""

    purged: int
    bytes: int
    backups: list[str]
