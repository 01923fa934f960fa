"""JSON by the standard library until something needs orjson, which imports inspect, uuid and more: 8 ms of a first write.

What the two could read or write differently is left to orjson, so that a first message means what every later one means.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any, NoReturn

MAX_BYTES = 4096
MAX_DIGITS = 15
SURROGATE = rb"\ud"  # half of a pair may be missing
# orjson writes 254 levels, and the standard library more.
MAX_BRACKETS = 200


class Unusual(ValueError):
    """Not JSON, or JSON that has to be read by orjson."""


def read(text: bytes | str) -> Any:
    """The value of JSON text. Raises orjson.JSONDecodeError."""
    if not has_orjson():
        with contextlib.suppress(Unusual):
            return loads(text if isinstance(text, bytes) else text.encode())
    import orjson

    return orjson.loads(text)


def write(value: Any) -> bytes:
    """The value as orjson writes it. Raises orjson.JSONEncodeError, a TypeError."""
    if not has_orjson():
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            raw = dumps(value)
            if raw.count(b"[") + raw.count(b"{") <= MAX_BRACKETS:
                loads(raw)  # else it has something that the two write differently
                return raw
    import orjson

    return orjson.dumps(value)


def embedded(text: bytes) -> Any:
    """JSON text to be a part of a reply."""
    if not has_orjson():
        with contextlib.suppress(Unusual):
            return loads(text)
    import orjson

    return orjson.Fragment(text)


def has_orjson() -> bool:
    """Whether something has needed orjson."""
    return "orjson" in sys.modules


def loads(raw: bytes) -> Any:
    """A short message in ASCII, its numbers whole and of few digits. Raises Unusual for everything else."""
    if len(raw) > MAX_BYTES or not raw.isascii() or SURROGATE in raw.lower():
        raise Unusual
    try:
        value, end = _DECODER.raw_decode(raw.decode("ascii"))
    except (ValueError, RecursionError) as exc:
        raise Unusual from exc
    if end != len(raw):
        raise Unusual
    return value


def dumps(value: Any) -> bytes:
    """The same bytes as orjson's. Raises TypeError for what is not JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise Unusual
    return int(digits)


def _refuse(_text: str) -> NoReturn:
    raise Unusual


_DECODER = json.JSONDecoder(parse_float=_refuse, parse_int=_whole, parse_constant=_refuse)
