"""One line of a text around what a search has found in it."""

from bisect import bisect_right
from itertools import accumulate

from sidekeep.domain import search_text
from sidekeep.domain.search_text import Query

# Characters as a reader sees them, before what was found and from it on.
BEFORE, AFTER = 40, 120
# Code points that are looked at before and after: what readers see as one character may be many, and runs of space become one.
REACH_BEFORE, REACH_AFTER = 80, 240

# A character that may belong to a cluster of several; between others there is always an edge (Unicode Standard Annex 29).
_JOINED = r"[^\p{GCB=Other}\p{GCB=Control}]"


def snippet(text: str, query: Query) -> str:
    """The text around the query as it was typed, else around one of its words, an ellipsis where text is left out.

    It is cut between characters as a reader sees them.
    """
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFC", text)
    at = search_text.place_of(text, query)
    start, end = _edge(text, max(at - REACH_BEFORE, 0)), at + REACH_AFTER
    before, after = _in_one_line(text[start:at]), _in_one_line(text[at:end])
    characters = _characters(before + after)
    found = len(before) if isinstance(characters, str) else _cluster_at(characters, len(before))
    # The first and the last character may be cut already.
    first = max(found - BEFORE, 1 if start else 0)
    last = min(found + AFTER, len(characters) - (1 if end < len(text) else 0))
    line = "".join(characters[first:last]).strip()
    return f"{'…' if first else ''}{line}{'…' if last < len(characters) else ''}"


def _characters(line: str) -> str | list[str]:
    """The grapheme clusters of a line: the line itself, where each is one code point."""
    if line.isascii():
        return line
    import regex  # 10 ms, and only where something was found

    if regex.search(_JOINED, line) is None:  # ten times as fast as to look for clusters
        return line
    found: list[str] = regex.findall(r"\X", line)
    return found


def _cluster_at(clusters: list[str], place: int) -> int:
    """Which of the clusters stands at a place of the line that they make."""
    return bisect_right(list(accumulate(map(len, clusters), initial=0)), place) - 1


def _edge(text: str, start: int) -> int:
    """`start`, or an earlier place that is in no row of flags (they are told apart by counting) and in no joined emoji."""
    while start and ("\U0001f1e6" <= text[start] <= "\U0001f1ff" or "\u200d" in text[start - 1 : start + 1]):
        start -= 1
    return start


def _in_one_line(text: str) -> str:
    """The text with one space for each run of spaces and line breaks, also at its ends."""
    line = " ".join(text.split())
    return f"{' ' if text[:1].isspace() else ''}{line}{' ' if text[-1:].isspace() and line else ''}"
