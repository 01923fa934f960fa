"""Tolerant types for foreign files: what is of the wrong type counts as absent, and one odd field spoils no conversation."""

import math
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from sidekeep.errors import Unreadable

# Times beyond what JavaScript counts exactly are nonsense, such as microseconds taken for milliseconds.
_LAST_MS = 2**53
# Seconds reach this in the year 5138, milliseconds did in 1973: it tells the two apart.
_FIRST_MS_STAMP = 100_000_000_000


class Foreign(BaseModel):
    """A record of another program. What it does not declare is kept elsewhere, or not at all."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _fields(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _flag(value: Any) -> bool:
    return value is True or (isinstance(value, (int, float)) and value != 0)


def _whole(value: Any) -> int | None:
    return value if type(value) is int else None


def milliseconds(value: Any) -> int | None:
    """A time as milliseconds since 1970 UTC: from ISO 8601 text, or from a number of seconds or milliseconds."""
    if isinstance(value, str):
        return _from_iso(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    stamp = round(value if abs(value) >= _FIRST_MS_STAMP else value * 1000)
    return stamp if 0 < stamp < _LAST_MS else None


def _from_iso(text: str) -> int | None:
    try:
        found = datetime.fromisoformat(text.strip())
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return round(found.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


Record = TypeVar("Record", bound=BaseModel)

Words = Annotated[str, BeforeValidator(_words)]
Items = Annotated[list[Any], BeforeValidator(_items)]
Fields = Annotated[dict[str, Any], BeforeValidator(_fields)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Whole = Annotated[int | None, BeforeValidator(_whole)]
Time = Annotated[int | None, BeforeValidator(milliseconds)]


def parsed(kind: type[Record], value: Any) -> Record:
    """`value` as that kind of record. Raises Unreadable, which names the member and never its value."""
    try:
        return kind.model_validate(value)
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(each) for each in first["loc"]) or "the record"
        what = "is not there" if first["type"] == "missing" else "is not what such an export has there"
        raise Unreadable(f"{place} {what}.") from exc
