"""providers.* and secrets.*: model servers and their keys."""

from typing import Annotated

from pydantic import Field

from sidekeep.protocol.model import Name, Params, Shape
from sidekeep.protocol.shapes import Provider


class ProviderParams(Params):
    provider: Name


class Model(Shape):
    id: str
    window: int | None = None
    vision: bool | None = None


class Models(Shape):
    models: list[Model]


class Tested(Shape):
    ok: bool
    status: int | None = None
    message: str
    models: list[Model] | None = None


class Detected(Shape):
    """Servers on this computer that answered just now. No key was sent to them; `keySet` is false."""

    found: list[Provider]


class SecretParams(Params):
    provider: Name
    apiKey: Annotated[str, Field(min_length=1, max_length=10_000)]
