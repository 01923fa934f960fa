"""adoption.*: what a profile kept in the browser's own storage, taken over by the store."""

from typing import Any

from sidekeep.protocol.model import Params, Shape


class State(Shape):
    adopted: bool


class BodyParams(Params):
    """`value` is what the browser has under `session_<id>`; any text may be an id there, also none."""

    id: str
    value: Any


class Body(Shape):
    """The id the body has in the store."""

    id: str


class FinishParams(Params):
    """Every key of the browser's storage but the bodies."""

    items: dict[str, Any]


class Finished(Shape):
    """`renamed`: session ids that became others. `kept`: keys for which the store's own value stays."""

    renamed: dict[str, str]
    kept: list[str]


class ReadParams(Params):
    key: str


class Read(Shape):
    value: Any
