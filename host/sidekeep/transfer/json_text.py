"""Foreign JSON, read as a stream: a file of any size within the memory that its largest conversation needs."""

import io
import re
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, BinaryIO

import ijson

from sidekeep.errors import Unreadable
from sidekeep.transfer.secrets import without_secrets

# Deeper than any program's conversation, and well below the 254 levels at which orjson refuses to write.
MAX_DEPTH = 64
_CHUNK = 65_536
# What orjson can write.
FIRST_INT, LAST_INT = -(2**63), 2**64 - 1

# The parser's C code kills the process over a number that Python refuses to read, which it does from 4,300 digits on. So Python
# is let read as many as can come in a piece of the file, and a piece that is half digits does not reach the parser.
_DIGITS = _CHUNK // 2
sys.set_int_max_str_digits(4 * _CHUNK)

_CUT_SHORT = "It ends in the middle: the file was cut short. Download or copy it again."
_NO_JSON = "It is no valid JSON: it is damaged, or no export. Download or export it again."

# A half of a surrogate pair, or (the group) a whole pair.
_SURROGATE = re.compile(rb"\\u[dD](?:([89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|[89a-fA-F][0-9a-fA-F]{2})")
_FIRST_HALF = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}")
_MANY_DIGITS = re.compile(rb"[0-9]{%d}" % _DIGITS)
# The longest escape is a pair of surrogates.
_LONGEST_ESCAPE = 12


class Mended:
    """A binary stream whose lone surrogates (`"\\ud83d"`) are U+FFFD, as the browser's own storage reads them.

    The parser would give a question mark for one, or swallow the character behind it. A byte order mark is dropped.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._held = b""
        self._is_first = True
        self.is_at_end = False

    def read(self, size: int = _CHUNK) -> bytes:
        if size == 0:  # how the parser asks whether these are bytes
            return b""
        while True:
            fresh = self._raw.read(max(size, _CHUNK))
            if self._is_first:
                self._is_first = False
                fresh = fresh.removeprefix(b"\xef\xbb\xbf")
            if fresh[_DIGITS - 1 : _DIGITS].isdigit() and _MANY_DIGITS.search(fresh):
                raise Unreadable("A number in it has too many digits.")
            data = self._held + fresh
            cut = _safe_end(data) if fresh else len(data)
            ready, self._held = data[:cut], data[cut:]
            if ready or not fresh:
                self.is_at_end = not ready
                return _mended(ready)


def _safe_end(data: bytes) -> int:
    """Where to cut so that no escape is divided, nor a pair of them: before the backslashes that the last one begins with."""
    start = data.find(b"\\", max(len(data) - _LONGEST_ESCAPE, 0))
    if start < 0:
        return len(data)
    start = _run_start(data, start)
    return _run_start(data, start - 6) if _FIRST_HALF.match(data, start - 6) and start >= 6 else start


def _run_start(data: bytes, start: int) -> int:
    while start > 0 and data[start - 1] == 0x5C:
        start -= 1
    return start


def _mended(data: bytes) -> bytes:
    pieces: list[bytes] = []
    done = start = 0
    while match := _SURROGATE.search(data, start):
        found = match.start()
        if (found - _run_start(data, found)) % 2:  # its backslash is itself escaped
            start = found + 1
            continue
        start = match.end()
        if match[1] is None:
            pieces += (data[done:found], b"\\ufffd")
            done = start
    return b"".join((*pieces, data[done:])) if pieces else data


def events(raw: BinaryIO) -> Iterator[tuple[str, Any]]:
    """The parser's events, such as ("map_key", "id"). Raises Unreadable where it is no JSON, or ends too early."""
    text = Mended(raw)
    return _readable(text, ijson.basic_parse(text, buf_size=_CHUNK))


def values(raw: BinaryIO, prefix: str) -> Iterator[Any]:
    """The values at `prefix`, one after the other (ijson's notation: "item" are the items of the array that the file is)."""
    text = Mended(raw)
    return _readable(text, ijson.items(text, prefix, buf_size=_CHUNK))


def members(raw: BinaryIO, prefix: str) -> Iterator[tuple[str, Any]]:
    """The members of the object at `prefix`, one after the other."""
    text = Mended(raw)
    return _readable(text, ijson.kvitems(text, prefix, buf_size=_CHUNK))


def _readable(text: Mended, found: Iterator[Any]) -> Iterator[Any]:
    try:
        yield from found
    except (ijson.JSONError, UnicodeDecodeError, ArithmeticError) as exc:  # the last: an exponent beyond all decimals
        # The parser's own message quotes the file, which nobody's log may hold.
        is_cut = text.is_at_end
        raise Unreadable(_CUT_SHORT if is_cut else _NO_JSON) from exc


def cleaned(value: Any) -> Any:
    """The value as Sidekeep may keep it: no key in it, no U+0000, decimals and huge integers as floats.

    What is in it is changed in place: most of a file needs no change. Raises Unreadable where it is nested more than 64 levels
    deep.
    """
    holder = [value]
    level: list[Any] = [holder]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for each in level for inner in _tidied(each)]
        if not level:
            return without_secrets(holder[0])
    raise Unreadable(f"It is nested more than {MAX_DEPTH} levels deep.")


def _tidied(found: Any) -> list[Any]:
    """Put right what an object or array holds itself. Returns the objects and arrays in it."""
    if type(found) is list:
        return _tidied_values(found, enumerate(found))
    if "\0" in "".join(found):
        kept = {name.replace("\0", ""): item for name, item in found.items()}
        found.clear()
        found.update(kept)
    return _tidied_values(found, found.items())


def _tidied_values(found: Any, values: Iterable[tuple[Any, Any]]) -> list[Any]:
    inner: list[Any] = []
    for place, item in values:
        kind = type(item)
        if kind is str:
            if "\0" in item:
                found[place] = item.replace("\0", "")
        elif kind is dict or kind is list:
            inner.append(item)
        elif kind is Decimal or (kind is int and not FIRST_INT <= item <= LAST_INT):
            found[place] = float(Decimal(item))  # beyond all floats: infinite
    return inner


def lines_value(line: bytes) -> Iterator[Any]:
    """The one value of a line of JSONL."""
    return values(io.BytesIO(line), "")
