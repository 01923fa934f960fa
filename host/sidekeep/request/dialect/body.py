"""A request's body as bytes. The same value gives the same bytes: members stand in the order they were put in."""

from typing import Any

import orjson


def dumps(value: Any) -> bytes:
    """JSON in UTF-8. Half a character (a lone surrogate), which orjson refuses, becomes U+FFFD and spoils no request."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(_whole(value))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {name: _whole(member) for name, member in value.items()}
    return [_whole(item) for item in value] if isinstance(value, list) else value
