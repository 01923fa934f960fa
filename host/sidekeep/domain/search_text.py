"""What a search compares: texts and queries folded alike, so that case, accents and forms of a character make no difference.

Folding goes character by character over Unicode's composed form (NFC). So what stands in a text, cut between characters as a
reader sees them, stands in its folded form too: a search by substring misses nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from sidekeep.domain import attachment
from sidekeep.domain.message import text_of
from sidekeep.domain.shortened import original_content

# Marks that are written or left out as one likes: accents, Hebrew points, Arabic vowel signs, variation selectors. Marks of
# other scripts are letters (ガ is not カ, กี is not กิ) and stay.
_OPTIONAL_MARKS = (
    *(
        range(0x0300, 0x0370),
        range(0x0483, 0x0488),
        range(0x0591, 0x05C8),
        range(0x0610, 0x061B),
        range(0x064B, 0x0660),
    ),
    *(
        range(0x0670, 0x0671),
        range(0x06D6, 0x06EE),
        range(0x08D3, 0x0900),
        range(0x1AB0, 0x1B00),
        range(0x1DC0, 0x1E00),
    ),
    *(range(0x20D0, 0x2100), range(0xFE00, 0xFE10), range(0xFE20, 0xFE30), range(0xE0100, 0xE01F0)),
)
# Letters that Unicode does not take apart into another and a stroke or a dot. The dotless i is among them, so that ISTANBUL,
# istanbul and İstanbul are one in whichever language the case is read.
_PLAIN = {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h"}
# Unicode takes it for и with a breve, readers for a letter.
_WHOLE = "й"
_TATWEEL = "\u0640"
# They alone tell emoji of some flags apart.
_TAGS = range(0xE0020, 0xE0080)

# Long enough to be worth a piece of its own. In parentheses: split keeps it.
_ASCII_RUN = re.compile(r"([\x00-\x7f]{32,})")

_DATA = ";base64,"
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
# A shorter run after the mark may be a word.
_DATA_CHARS = 64


class Query(NamedTuple):
    """What a search looks for: texts that hold every one of `words`. `phrase` is the query as it was typed, folded."""

    words: tuple[str, ...]
    phrase: str

    @property
    def is_blank(self) -> bool:
        return not self.words

    def is_in(self, folded: str) -> bool:
        return all(word in folded for word in self.words)


def parse(query: str) -> Query:
    """A query as somebody typed it. Whatever stands in it is text to be found, never syntax."""
    phrase = fold(query)
    return Query(tuple(dict.fromkeys(phrase.split())), phrase)


def fold(text: str) -> str:
    """The text as it is compared: lower case, without optional marks, one space where there is space."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFC", text)
    return " ".join(_folded(text).split())


def place_of(text: str, query: Query) -> int:
    """Where in `text`, as it was written, the query stands as it was typed, else one of its words; 0 where none does."""
    lower = text.lower()  # mostly as good as folding, and fast
    folded = None
    for wanted in (query.phrase, *sorted(query.words, key=len, reverse=True)):
        if len(lower) == len(text) and wanted in lower:
            return lower.index(wanted)
        folded = _folded(text) if folded is None else folded
        if wanted in folded:
            place = folded.index(wanted)
            return place if len(folded) == len(text) else _before_folding(text, place)
    return 0


def name_rank(name: str, query: Query) -> int:
    """How well a name answers a query: 4 it is the query, 3 it begins with it, 2 it has it, 1 it has its words, 0 it does not."""
    folded = _folded_name(name)
    if folded == query.phrase:
        return 4
    if folded.startswith(query.phrase):
        return 3
    if query.phrase in folded:
        return 2
    return 1 if query.is_in(folded) else 0


@lru_cache(4096)
def _folded_name(name: str) -> str:
    """Every search looks at every name."""
    return fold(name)


def searched_text(message: dict[str, Any]) -> str:
    """What of a message a search looks at: all of its text, but no pictures and not the labels of an attachment.

    The original text where it was shortened since: that is what a person remembers.
    """
    text = _without_data(text_of(original_content(message)))
    return attachment.without_labels(text)


class _Folded(dict[int, int | str]):
    """What each character becomes; filled as characters are met. One that stays one is a number: translate takes it faster."""

    def __missing__(self, code: int) -> int | str:
        folded = _fold_one(chr(code))
        found = self[code] = ord(folded) if len(folded) == 1 else folded
        return found


_FOLDED = _Folded()


def _folded(text: str) -> str:
    """The text, each character folded. Python folds what is ASCII throughout a hundred times as fast as other text."""
    if text.isascii():
        return text.translate(_FOLDED)
    return "".join(piece.translate(_FOLDED) for piece in _ASCII_RUN.split(text))


def _before_folding(text: str, place: int) -> int:
    """Which character of `text` stands at a place of its folded form. Folding makes more or fewer characters of some."""
    start, end = 0, len(text)
    while end - start > 1:
        middle = (start + end) // 2
        length = len(_folded(text[start:middle]))
        if place < length:
            end = middle
        else:
            start, place = middle, place - length
    return start


def _fold_one(character: str) -> str:
    from unicodedata import normalize

    lower = normalize("NFKD", character).casefold()
    if lower == normalize("NFD", _WHOLE):
        return _WHOLE
    # Once more, because folding case makes characters that fall apart (the Unicode Standard, 3.13, D146).
    kept = "".join(_kept(one) for one in normalize("NFKD", lower))
    return normalize("NFC", kept)


def _kept(character: str) -> str:
    from unicodedata import category

    code, kind = ord(character), category(character)
    if kind in ("Cc", "Zs", "Zl", "Zp"):
        return " "
    if (kind == "Cf" and code not in _TAGS) or character == _TATWEEL:
        return ""
    if kind in ("Mn", "Me") and any(code in marks for marks in _OPTIONAL_MARKS):
        return ""
    return _PLAIN.get(character, character)


def _without_data(text: str) -> str:
    """The text without what base64 data URLs hold: pictures are not searched, and would swell the index."""
    if _DATA not in text:
        return text
    first, *others = text.split(_DATA)
    return first + "".join(_DATA + _after_data(other) for other in others)


def _after_data(text: str) -> str:
    rest = text.lstrip(_BASE64)
    return rest if len(text) - len(rest) >= _DATA_CHARS else text
