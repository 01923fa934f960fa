"""JSON values as the browser's storage area sees them."""

from collections.abc import Iterable
from typing import Any

from sidekeep.domain import plain_json

# Escapes that Chromium's JSON writer makes and orjson does not, with the bytes they add.
_ADDED_BY_ESCAPES = ((b"<", 5), ("\u2028".encode(), 3), ("\u2029".encode(), 3))


# The browser keeps what fits into 32 bits as an integer, every other number as a double, which it writes in its own way:
# ".0" after a whole number, an exponent from 1e12 on and below 1e-6.
_INT32 = range(-(2**31), 2**31)
_FIRST_EXPONENT, _LAST_EXPONENT = -6, 11


def size_of(key: str, encoded: bytes, value: Any) -> int:
    """Bytes in use as `getBytesInUse` counts them: the key's UTF-8 and the value's JSON as Chromium writes it.

    `encoded` is `value` as orjson writes it.
    """
    escapes = sum(encoded.count(text) * added for text, added in _ADDED_BY_ESCAPES)
    return len(key.encode()) + len(encoded) + escapes + _added_by_numbers(value)


def _added_by_numbers(value: Any) -> int:
    """Bytes that Chromium's way with doubles adds to orjson's, at every depth; negative where it is shorter."""
    added = 0
    waiting: list[Iterable[Any]] = [(value,)]
    while waiting:
        for item in waiting.pop():
            kind = type(item)
            if kind is str:  # most of what there is
                continue
            if kind is dict:
                waiting.append(item.values())
            elif kind is list:
                waiting.append(item)
            elif kind is float or (kind is int and item not in _INT32):
                added += _number_size(float(item)) - len(plain_json.write(item))
    return added


def _number_size(number: float) -> int:
    """Length of a number as the browser writes it."""
    if number.is_integer() and int(number) in _INT32:
        return len(str(int(number)))
    mantissa, _, exponent_text = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    exponent = int(exponent_text or 0) + len(whole) - 1
    digits = (whole + fraction).lstrip("0")
    exponent -= len(whole + fraction) - len(digits)
    count = len(digits.rstrip("0"))
    sign = 1 if number < 0 else 0
    if not _FIRST_EXPONENT <= exponent <= _LAST_EXPONENT:
        return sign + count + (1 if count > 1 else 0) + len(f"e{exponent:+d}")
    if exponent < 0:
        return sign + len("0.") - exponent - 1 + count
    return sign + max(count, exponent + 1) + (len(".") if count > exponent + 1 else len(".0"))


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
    if left == right:
        return True
    one, other = plain_json.read(left), plain_json.read(right)
    return bool(one == other) and _typed(one) == _typed(other)


def _typed(value: Any) -> Any:
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return value
