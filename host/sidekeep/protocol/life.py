"""hello, ping, status."""

from typing import Annotated

from pydantic import Field

from sidekeep.protocol.model import Params, Shape
from sidekeep.protocol.shapes import Notice


class HelloParams(Params):
    client: Annotated[str, Field(max_length=1000)]
    version: Annotated[str, Field(max_length=1000)]
    protocol: int
    profile: Annotated[str, Field(max_length=100)] | None = None
    incognito: bool | None = None


class StoreInfo(Shape):
    engine: str
    id: str
    bytes: int
    conversations: int


class HelloResult(Shape):
    server: str
    version: str
    protocol: int
    store: StoreInfo
    capabilities: list[str]


class StatusChanged(Shape):
    """Notification `status.changed`."""

    notices: list[Notice]
