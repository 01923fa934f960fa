"""JSON values as the browser's storage area sees them."""

from typing import Any

import orjson

# Escapes that Chromium's JSON writer makes and orjson does not, with the bytes they add.
_ADDED_BY_ESCAPES = ((b"<", 5), ("\u2028".encode(), 3), ("\u2029".encode(), 3))


def size_of(key: str, value: bytes) -> int:
    """Bytes in use as `getBytesInUse` counts them: the key's UTF-8 and the value's JSON as Chromium writes it."""
    return len(key.encode()) + len(value) + sum(value.count(text) * added for text, added in _ADDED_BY_ESCAPES)


def merge_defaults(default: Any, stored: Any) -> Any:
    """What `get({key: default})` gives: objects merge at every depth, anything else is replaced whole."""
    if not isinstance(default, dict) or not isinstance(stored, dict):
        return stored
    merged = {**default, **stored}
    for name in default.keys() & stored.keys():
        merged[name] = merge_defaults(default[name], stored[name])
    return sorted_deeply(merged)


def sorted_deeply(value: Any) -> Any:
    """Object keys in order of their UTF-8 bytes, at every depth, as the browser gives them back."""
    if isinstance(value, dict):
        return {key: sorted_deeply(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [sorted_deeply(item) for item in value]
    return value


def equal(left: bytes, right: bytes) -> bool:
    """Whether two JSON texts are the same value: key order does not count, and 1 is 1.0, but true is not 1."""
    return left == right or _typed(orjson.loads(left)) == _typed(orjson.loads(right))


def _typed(value: Any) -> Any:
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return value
