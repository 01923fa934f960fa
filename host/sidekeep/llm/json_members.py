"""JSON of any server, read without trust: whatever has the wrong type counts as absent."""

import json
from typing import Any


def parse_json(text: str) -> Any:
    """JSON of any server: orjson, and the standard library where that refuses lone surrogates. Raises ValueError."""
    import orjson

    try:
        return orjson.loads(text)
    except ValueError:
        pass
    try:
        return json.loads(text)
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc


def text_of(value: Any) -> str:
    """A string, else the empty one."""
    return value if isinstance(value, str) else ""


def object_of(value: Any) -> dict[str, Any]:
    """An object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects of an array, else none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def count_of(value: Any) -> int | None:
    """A number of tokens, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
