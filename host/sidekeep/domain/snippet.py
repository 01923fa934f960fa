"""One line of a text around what a search has found in it."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from sidekeep.domain import search_text
from sidekeep.domain.search_text import Query

# Characters as a reader sees them, before what was found and from it on.
BEFORE, AFTER = 40, 120
# Code points that are looked at on each side; runs of space take some of them.
REACH = 600


def snippet(text: str, query: Query) -> str:
    """The text around the query as it was typed, else around one of its words, an ellipsis where text is left out.

    It is cut between characters as a reader sees them.
    """
    import unicodedata

    import regex  # 10 ms, and only where something was found

    text = unicodedata.normalize("NFC", text)
    at = search_text.place_of(text, query)
    start, end = _outside_flags(text, max(at - REACH, 0)), at + REACH
    characters = regex.findall(r"\X", text[start:end])
    found = bisect_right(list(accumulate(map(len, characters), initial=start)), at) - 1
    # The first and the last character may be cut already.
    before = _in_one_line(characters[1 if start else 0 : found])
    after = _in_one_line(characters[found : -1 if end < len(text) else None])
    line = "".join(before[-BEFORE:] + after[:AFTER]).strip()
    is_cut = (start > 0 or len(before) > BEFORE, end < len(text) or len(after) > AFTER)
    return f"{'…' if is_cut[0] else ''}{line}{'…' if is_cut[1] else ''}"


def _outside_flags(text: str, start: int) -> int:
    """The beginning of the row of flags that `start` is in, if it is in one: flags are told apart by counting from there."""
    while start and "\U0001f1e6" <= text[start] <= "\U0001f1ff":
        start -= 1
    return start


def _in_one_line(characters: Iterable[str]) -> list[str]:
    """The characters with one space for each run of spaces, line breaks and control characters."""
    line: list[str] = []
    for character in characters:
        if not character.isspace() and character >= " ":
            line.append(character)
        elif line[-1:] != [" "]:
            line.append(" ")
    return line
