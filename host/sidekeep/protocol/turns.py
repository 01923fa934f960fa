"""turn.*: a question and its answer."""

from typing import Annotated, Any

from pydantic import Field

from sidekeep.protocol.model import Millis, Name, Params, Shape, Text
from sidekeep.protocol.shapes import Message, Report, Usage, WireError


class ImageRef(Params):
    ref: Name


class SendParams(Params):
    text: Text | None = None
    images: Annotated[list[Text | ImageRef], Field(max_length=1000)] | None = None
    provider: Name | None = None
    model: Text | None = None
    replaces: Name | None = None


class Started(Shape):
    turn: str


class TurnParams(Params):
    turn: Name


class Running(Shape):
    turn: str
    session: str
    text: str
    reasoning: str
    startedAt: Millis
    report: Report | None = None


class Peek(Shape):
    turns: list[Running]


class TurnStarted(Shape):
    """Notification `turn.started`: the question is in the store, and this is what the model will be shown."""

    turn: str
    user: Message
    report: Report


class TurnDelta(Shape):
    """Notifications `turn.delta` and `turn.reasoning`; `offset` in code points."""

    turn: str
    offset: int
    text: str


class TurnStatus(Shape):
    """Notification `turn.status`."""

    turn: str
    kind: str
    detail: dict[str, Any] | None = None


class TurnDone(Shape):
    """Notification `turn.done`: the answer is in the store."""

    turn: str
    message: Message
    usage: Usage | None = None
    rescued: bool


class TurnFailed(Shape):
    """Notification `turn.failed`: no whole answer. The question stays, and so does what had come, as `message`, interrupted."""

    turn: str
    error: WireError
    message: Message | None = None
