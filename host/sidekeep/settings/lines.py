"""Where in a TOML text a key is given its value. tomllib gives no positions, so it is asked about beginnings of the text."""

import tomllib
from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeAlias

Path: TypeAlias = Sequence[str | int]


def line_of(text: str, path: Path) -> int:
    """The line, from 1, where the value at `path` (as pydantic's `loc`) is written; of a list's item, the item's own.

    `text` must be TOML and have that key; else the first line is named.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    start, end = _statement(lines, path)
    if not isinstance(path[-1], int):
        return start
    # A list over several lines is TOML up to any of its items, once it is closed.
    return next((number for number in range(start, end) if _has(_parsed([*lines[:number], "]"]), path)), end)


def line_of_offset(data: bytes, offset: int) -> int:
    """The line, from 1, of a byte."""
    return data.count(b"\n", 0, offset) + 1


def _statement(lines: list[str], path: Path) -> tuple[int, int]:
    """First and last line of the statement that brings `path`: between two beginnings of the text that are TOML."""
    without, having = 0, len(lines)
    while (middle := _whole_between(lines, without, having)) is not None:
        if _has(_parsed(lines[:middle]), path):
            having = middle
        else:
            without = middle
    return without + 1, having


def _whole_between(lines: list[str], low: int, high: int) -> int | None:
    """A number of lines between the two, near the middle, which are TOML by themselves."""
    middle = (low + high) // 2
    for count in chain(range(middle, low, -1), range(middle + 1, high)):
        if _parsed(lines[:count]) is not None:
            return count
    return None


def _parsed(lines: list[str]) -> dict[str, Any] | None:
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return None


def _has(value: Any, path: Path) -> bool:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True
