"""sessions.*: saved chats."""

from typing import Annotated

from pydantic import Field

from sidekeep.protocol.model import Count, Millis, Name, Params, Shape, Text
from sidekeep.protocol.shapes import Message, Pixels, Session


class ListParams(Params):
    query: Text | None = None
    folder: Text | None = None
    limit: Annotated[int, Field(ge=0, le=10_000)] = 50
    offset: Count = 0


class Evicted(Shape):
    chats: int
    messages: int
    since: Millis | None


class SessionList(Shape):
    sessions: list[Session]
    total: int
    archivedMatches: int
    evicted: Evicted


class SaveParams(Params):
    name: Text | None = None


class IdParams(Params):
    id: Name


class Loaded(Shape):
    messages: int
    activeSessionId: str


class GetParams(Params):
    """With `checkpoint`, the messages are those that it has."""

    id: Name
    checkpoint: Name | None = None
    pixels: Pixels = "thumbnail"


class SessionWithMessages(Shape):
    session: Session
    messages: list[Message]


class RenameParams(Params):
    id: Name
    name: Text


class PinParams(Params):
    id: Name
    pinned: bool


class MoveParams(Params):
    id: Name
    folder: Name | None


class BranchParams(Params):
    """Without `id` from the live conversation."""

    id: Name | None = None
    messageId: Name


class DeleteParams(Params):
    ids: Annotated[list[Name], Field(max_length=10_000)]
    forGood: bool = False


class ClearParams(Params):
    forGood: bool = False


class Deleted(Shape):
    """`backups`, after a deletion for good: files that still hold some of it."""

    deleted: int
    backups: list[str] | None = None


class Side(Shape):
    sessionId: str


class Checkpoint(Shape):
    """A moment to which a chat can return; `messages` counts what it had then."""

    id: str
    createdAt: Millis
    reason: str
    messages: int
    preCompaction: Side
    postCompaction: Side


class CompactParams(Params):
    """Without `id` the live conversation's chat; without `summary` the active model writes one.

    What stands from `firstKept` on stays word for word.
    """

    id: Name | None = None
    summary: Text | None = None
    firstKept: Name | None = None


class CheckpointParams(Params):
    id: Name
    checkpoint: Name


class Compacted(Shape):
    session: Session
    checkpoint: Checkpoint


class CheckpointList(Shape):
    checkpoints: list[Checkpoint]
