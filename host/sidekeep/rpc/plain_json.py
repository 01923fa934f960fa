"""JSON by the standard library, for hello: orjson imports inspect, uuid and more, a quarter of the time to the reply.

What the two could read differently is left to orjson, so that a first message means what every later one means.
"""

import json
from typing import Any, NoReturn

MAX_BYTES = 4096
MAX_DIGITS = 15
SURROGATE = rb"\ud"  # half of a pair may be missing


class Unusual(ValueError):
    """Not JSON, or JSON that has to be read by orjson."""


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
