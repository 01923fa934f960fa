"""Which texts may have a query: those with all of its grams, or with the rarest of them (store/search_index.py)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import orjson

from sidekeep.store.database import Transaction
from sidekeep.store.search_index import FILLER, grams_until

# Of a long query so many grams are weighed, each by how far back its newest texts go (0.07 ms with 100,000 texts). A common
# gram takes 1 ms and leaves out little: one that is so many times as common as the rarest is not looked up.
UNWEIGHED, WEIGHED, PROBE, TOO_COMMON = 4, 16, 100, 4


def of(words: tuple[str, ...]) -> list[str]:
    """The grams of words as the index has them, each once."""
    return list(dict.fromkeys(gram for word in words for gram in _of_word(word)))


def rarest(tx: Transaction, grams: list[str]) -> list[str]:
    """Some of the grams, the rarest of those that were weighed among them."""
    weighed = grams[:: -(-len(grams) // WEIGHED)]
    if len(weighed) <= UNWEIGHED:
        return weighed
    spreads = {gram: _spread(newest(tx, [gram], limit=PROBE)) for gram in weighed}
    widest = max(spreads.values())
    return [gram for gram in weighed if spreads[gram] * TOO_COMMON >= widest]


def newest(tx: Transaction, grams: list[str], *, since: int = 0, limit: int = -1) -> list[int]:
    """The keys of the texts that have all those grams, newest first. Through a JSON array, as rows take three times as long."""
    expression = " ".join(f'"{gram.replace(chr(34), chr(34) * 2)}"' for gram in grams)
    (found,) = next(
        tx.execute(
            "SELECT json_group_array(rowid) FROM (SELECT rowid FROM search_grams "
            "WHERE search_grams MATCH ? AND rowid >= ? ORDER BY rowid DESC LIMIT ?)",
            (expression, since, limit),
        )
    )
    keys: list[int] = orjson.loads(str(found))
    return keys


def waiting(tx: Transaction, words: Sequence[bytes]) -> list[int]:
    """The keys of the texts that have no grams as yet and have those words, newest first. It reads them all."""
    (found,) = next(
        tx.execute(
            "SELECT json_group_array(message_pk) FROM (SELECT message_pk FROM search_texts WHERE message_pk > ?"  # noqa: S608  constants
            + " AND instr(text, ?)" * len(words)
            + " ORDER BY message_pk DESC)",
            (grams_until(tx), *words),
        )
    )
    keys: list[int] = orjson.loads(str(found))
    return keys


def _of_word(word: str) -> list[str]:
    if len(word) == 1:
        return [f"{FILLER}{word}{FILLER}"]
    if len(word) == 2:
        return [f"{word[0]}{FILLER}{word[1]}"]
    return [word[start : start + 3] for start in range(len(word) - 2)]


def _spread(probe: list[int]) -> float:
    """How far back a gram's newest texts go. One that has few is rarer than any other."""
    return probe[0] - probe[-1] if len(probe) == PROBE else inf
