"""sessions.*: saved chats."""

from typing import Annotated

from pydantic import Field

from sidekeep.protocol.model import Millis, Name, Params, Shape, Text
from sidekeep.protocol.shapes import Message, Pixels, Session


class ListParams(Params):
    query: Text | None = None
    folder: Text | None = None
    limit: Annotated[int, Field(ge=0, le=10_000)] = 50
    offset: Annotated[int, Field(ge=0)] = 0


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
    id: Name
    pixels: Pixels = "thumbnail"


class SessionWithMessages(Shape):
    session: Session
    messages: list[Message]


class RenameParams(Params):
    id: Name
    name: Text


class DeleteParams(Params):
    ids: Annotated[list[Name], Field(max_length=10_000)]


class Deleted(Shape):
    deleted: int
