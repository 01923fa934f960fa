"""history.* and image.get: the live conversation."""

from typing import Any

from sidekeep.protocol.model import Name, Params, Shape
from sidekeep.protocol.shapes import Message, Pixels


class GetParams(Params):
    pixels: Pixels = "thumbnail"


class History(Shape):
    messages: list[Message]
    activeSessionId: str


class AppendParams(Params):
    message: dict[str, Any]


class Appended(Shape):
    id: str
    index: int


class IdParams(Params):
    id: Name


class TruncateParams(Params):
    id: Name
    inclusive: bool = True


class Removed(Shape):
    removed: int


class ClearParams(Params):
    temporary: bool = False


class ImageParams(Params):
    ref: Name


class Image(Shape):
    """The original picture."""

    dataUrl: str
    width: int
    height: int
    bytes: int
