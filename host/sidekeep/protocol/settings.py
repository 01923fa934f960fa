"""settings.*: the host's settings, by key as docs/settings.md names them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from sidekeep.protocol.model import Params, Shape
from sidekeep.protocol.shapes import Session

Value = bool | int | str | list[str]


class ChangeParams(Params):
    """`null` takes a panel's value away again."""

    settings: Annotated[dict[str, Any], Field(max_length=100)]


class InForce(Shape):
    """`pending`: limits that were lowered in the file and wait for a confirmation; `settings` has those in force until then."""

    settings: dict[str, Value]
    source: dict[str, Literal["default", "file", "panel"]]
    pending: dict[str, int]


class Evict(Shape):
    chats: list[Session]
    messages: int


class Preview(Shape):
    evict: Evict
