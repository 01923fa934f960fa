"""What every wire type has in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sidekeep.errors import InvalidParams

Text = Annotated[str, Field(max_length=67_108_864)]
Name = Annotated[str, Field(min_length=1, max_length=1000)]
# The largest integer that JavaScript has exactly. Beyond 63 bits SQLite has none at all.
Count = Annotated[int, Field(ge=0, le=2**53)]
Millis = Annotated[int, Field(description="milliseconds since 1970 UTC")]


class Params(BaseModel):
    """Parameters of a method. Unknown members are ignored, known ones are not converted."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Shape(BaseModel):
    """Something the host sends."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class Empty(Shape):
    """A result that says only that it is done."""


class NoParams(Params):
    """No parameters."""


def invalid_params(exc: ValidationError) -> InvalidParams:
    """A validation error as the wire says it: where and why, never the value, which may be somebody's text or key."""
    errors = [
        {"loc": ".".join(str(step) for step in error["loc"]), "msg": error["msg"]}
        for error in exc.errors(include_url=False, include_input=False, include_context=False)
    ]
    first = errors[0] if errors else {"loc": "params", "msg": "not valid"}
    return InvalidParams(f"{first['loc'] or 'params'}: {first['msg']}", errors=errors)
