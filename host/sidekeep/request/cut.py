"""Cutting a text: what is kept, and exactly how much is not.

Texts are cut by code points, between grapheme clusters where a whole one fits. What is counted is what is missing after the cut.
"""

from dataclasses import replace
from typing import Literal, NamedTuple

from sidekeep.domain import graphemes
from sidekeep.request.view import Entry, Part, Text

Side = Literal["head", "tail", "middle"]
Unit = Literal["characters", "bytes", "utf16"]

# An encoding and how many of its bytes a unit is; cutting one and reading it again leaves no half character.
_WIDTHS: dict[Unit, tuple[str, int]] = {"utf16": ("utf-16-le", 2), "bytes": ("utf-8", 1)}


class Kept(NamedTuple):
    """What remains of a text, and how many of its code points do not."""

    text: str
    dropped: int


def marker(dropped: int) -> str:
    """What stands where something was left out: the same in every language and place."""
    return f"[{dropped} characters left out]"


def cut(text: str, limit: int, side: Side = "head", unit: Unit = "characters") -> Kept:
    """The head, the tail, or both ends ("middle") of a text: at most `limit` units."""
    if side == "middle":
        first, last = cut(text, limit - limit // 2, "head", unit), cut(text, limit // 2, "tail", unit)
        whole = len(first.text) + len(last.text) >= len(text)
        return Kept(text, 0) if whole else Kept(first.text + last.text, len(text) - len(first.text) - len(last.text))
    most = len(_fitting(text, limit, side, unit))
    if not most:
        return Kept("", len(text))
    kept = graphemes.cut(text, most) if side == "head" else graphemes.cut_start(text, most)
    return Kept(kept, len(text) - len(kept))


def cut_with_marker(text: str, limit: int, side: Side = "head") -> Kept:
    """The same with a marker where something is missing, inside the limit.

    The marker's length depends on the number in it, and the number on the marker's length: the first number of digits that has
    room for its own count is the right one. Where the limit is shorter than any marker there is none.
    """
    if len(text) <= limit:
        return Kept(text, 0)
    for digits in range(1, len(str(len(text))) + 1):
        room = limit - len(marker(10**digits - 1))
        if room < 0:
            break
        kept = cut(text, room, side)
        if len(str(kept.dropped)) <= digits:
            return Kept(_marked(text, kept, room, side), kept.dropped)
    return cut(text, limit, side)


def _marked(text: str, kept: Kept, room: int, side: Side) -> str:
    if side == "head":
        return kept.text + marker(kept.dropped)
    if side == "tail":
        return marker(kept.dropped) + kept.text
    first = cut(text, room - room // 2, "head").text
    return first + marker(kept.dropped) + kept.text[len(first) :]


def _fitting(text: str, limit: int, side: Side, unit: Unit) -> str:
    """As much of the text as fits, whatever it cuts through except code points."""
    if limit <= 0:
        return ""
    if unit == "characters":
        return text[:limit] if side == "head" else text[-limit:]
    encoding, width = _WIDTHS[unit]
    encoded = text.encode(encoding)
    piece = encoded[: limit * width] if side == "head" else encoded[-limit * width :]
    return piece.decode(encoding, "ignore")


def cut_entry(entry: Entry, limit: int, side: Side) -> Entry:
    """The entry with the head or the tail of its text, all parts together, and a marker outside the limit where the cut is.

    Its pictures stay, and what it asks tools.
    """
    room = limit
    parts: list[Part] = []
    where: int | None = None
    for part in entry.parts if side == "head" else reversed(entry.parts):
        if not isinstance(part, Text):
            parts.append(part)
        elif where is None:
            kept = cut(part.text, room, side)
            room -= len(kept.text)
            where = len(parts) if kept.dropped else None
            parts.append(Text(kept.text))
    if where is None:
        return entry
    length = sum(len(part.text) for part in parts if isinstance(part, Text))
    sign = marker(sum(len(part.text) for part in entry.parts if isinstance(part, Text)) - length)
    text = parts[where]
    assert isinstance(text, Text)
    parts[where] = Text(text.text + sign if side == "head" else sign + text.text)
    in_order = parts if side == "head" else parts[::-1]
    kept_own = min(length, entry.own_characters)
    return replace(entry, parts=tuple(in_order), tokens=None, kept=kept_own, shortened="cut")
