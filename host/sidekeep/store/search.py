"""Full-text search: which transcripts and archives have a message that holds every word of a query.

Grams give candidates, among them every hit; the texts decide. The words of a query reach FTS5 as quoted grams, so nothing in
them is syntax, and a long query is looked up by some of its grams and compared whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import NamedTuple, TypeVar

import orjson

from sidekeep.domain.chat import SessionId
from sidekeep.domain.search_text import Query
from sidekeep.store.database import Transaction
from sidekeep.store.search_index import FILLER

H = TypeVar("H", SessionId, int)

# More grams hardly find fewer candidates, and each takes time.
MAX_GRAMS = 16
# What follows decides between ways of looking; measured with 100,000 messages. A query is common where the newest candidates
# are one in five of the messages there: most conversations have a hit among their newest few, and all candidates are many.
SAMPLE = 1000
COMMON_SPREAD = 5
NEWEST_IF_COMMON = (8, 64)
# Who holds a candidate is asked in 1.6 µs. A holder's 32 newest messages are gone through in 7 µs, and 500 older ones in 45.
NEWEST = 32
CANDIDATES_FOR_NEWEST, CANDIDATES_FOR_OLDER = 5, 28
# How many hits of a holder are compared at least: the newest need not be the closest to the query.
COMPARED = 2


class Hit(NamedTuple):
    """The message that answers for a conversation. `closeness`: 2 where it has the query as typed and as whole words, 1 as typed,
    0 where its words stand apart."""

    message_pk: int
    closeness: int


class _Holders(NamedTuple):
    """What holds messages, as statements: who holds each of a JSON array of messages; and the newest messages of each of a JSON
    array of holders, as arrays, at most so many."""

    of_messages: str
    messages_of: str


_TRANSCRIPTS = _Holders(
    "SELECT session_id, message_pk FROM json_each(?) CROSS JOIN transcript_events ON message_pk = value ORDER BY seq DESC",
    "SELECT value, (SELECT json_group_array(message_pk) FROM (SELECT message_pk FROM transcript_events "
    "WHERE session_id = value ORDER BY seq DESC LIMIT ?2)) FROM json_each(?1)",
)
_ARCHIVES = _Holders(
    "SELECT archive_pk, message_pk FROM json_each(?) CROSS JOIN search_archived ON message_pk = value "
    "ORDER BY message_pk DESC",
    "SELECT value, (SELECT json_group_array(message_pk) FROM (SELECT message_pk FROM search_archived "
    "WHERE archive_pk = value ORDER BY message_pk DESC LIMIT ?2)) FROM json_each(?1)",
)


class Search:
    """One query over what a transaction sees. A blank query finds nothing."""

    def __init__(self, tx: Transaction, query: Query) -> None:
        self._tx = tx
        self.query = query
        self._words = [word.encode() for word in query.words]
        self._closeness: dict[int, int | None] = {}
        self._sample = [] if query.is_blank else _candidates(tx, query, SAMPLE)

    def transcripts(self, session_ids: Collection[SessionId]) -> dict[SessionId, Hit]:
        """Those of the transcripts that have a hit, each with the closest of its newest hits."""
        return self._hits(_TRANSCRIPTS, session_ids)

    def archives(self, namespace: str, folder: str | None = None) -> set[str]:
        """The ids of a namespace's archives, of one folder where one is named, that have a hit."""
        if not self._sample:
            return set()
        ids: dict[int, str] = dict(
            self._tx.execute(
                "SELECT archive_pk, archive_id FROM archives JOIN search_archives USING (archive_id) "
                "WHERE namespace = ?1 AND (?2 IS NULL OR folder = ?2)",
                (namespace, folder),
            )
        )
        return {ids[archive_pk] for archive_pk in self._hits(_ARCHIVES, ids)}

    @property
    def _is_common(self) -> bool:
        return len(self._sample) == SAMPLE and self._sample[0] - self._sample[-1] < SAMPLE * COMMON_SPREAD

    @cached_property
    def _candidates(self) -> frozenset[int]:
        is_all = len(self._sample) < SAMPLE
        return frozenset(self._sample if is_all else _candidates(self._tx, self.query, -1))

    def _hits(self, holders: _Holders, wanted: Collection[H]) -> dict[H, Hit]:
        hits: dict[H, Hit] = {}
        if self._is_common:
            for limit in NEWEST_IF_COMMON:
                self._look(self._messages_of(holders, _others(wanted, hits), limit=limit), hits)
        elif len(self._candidates) > CANDIDATES_FOR_NEWEST * len(wanted):
            self._look(self._candidates_of(holders, wanted, limit=NEWEST), hits)
        undecided = _others(wanted, hits)
        if undecided and len(self._candidates) <= CANDIDATES_FOR_OLDER * len(undecided):
            self._look(self._held(holders, undecided), hits)
        elif undecided:
            self._look(self._candidates_of(holders, undecided), hits)
        return hits

    def _held(self, holders: _Holders, wanted: Collection[H]) -> dict[H, list[int]]:
        """Those of the wanted that hold candidates, each with its candidates, newest first."""
        found: dict[H, list[int]] = {}
        for holder, key in self._tx.execute(holders.of_messages, (orjson.dumps(list(self._candidates)).decode(),)):
            found.setdefault(holder, []).append(key)
        return {holder: found[holder] for holder in wanted if holder in found}

    def _candidates_of(self, holders: _Holders, wanted: Iterable[H], *, limit: int = -1) -> dict[H, list[int]]:
        """The candidates among each holder's messages, newest first."""
        found: dict[H, list[int]] = {}
        for holder, keys in self._messages_of(holders, wanted, limit=limit).items():
            candidates = self._candidates.intersection(keys)
            if candidates:
                found[holder] = [key for key in keys if key in candidates]
        return found

    def _messages_of(self, holders: _Holders, wanted: Iterable[H], *, limit: int) -> dict[H, list[int]]:
        rows = self._tx.execute(holders.messages_of, (orjson.dumps(list(wanted)).decode(), limit))
        return {holder: orjson.loads(keys) for holder, keys in rows}

    def _look(self, messages: dict[H, list[int]], hits: dict[H, Hit]) -> None:
        """Look at holders' messages until each has a hit or none left: a few of each at first, then more at a time."""
        start, end = 0, COMPARED
        while messages:
            looked_at = {holder: keys[start:end] for holder, keys in messages.items()}
            self._read({key for keys in looked_at.values() for key in keys} - self._closeness.keys())
            for holder, keys in looked_at.items():
                found = [Hit(key, close) for key in keys if (close := self._closeness.get(key)) is not None]
                if found:
                    hits[holder] = max(found, key=lambda hit: hit.closeness)
            messages = {holder: keys for holder, keys in messages.items() if holder not in hits and len(keys) > end}
            start, end = end, 4 * end

    def _read(self, keys: Collection[int]) -> None:
        """Note how close those texts come to the query. At once, because a statement for each takes four times as long."""
        for key, text in self._tx.execute(
            "SELECT message_pk, text FROM json_each(?) CROSS JOIN search_texts ON message_pk = value",
            (orjson.dumps(list(keys)).decode(),),
        ):
            is_hit = all(word in text for word in self._words)
            self._closeness[key] = _closeness(text.decode(), self.query.phrase) if is_hit else None


def _others(wanted: Iterable[H], hits: Collection[H]) -> list[H]:
    return [holder for holder in wanted if holder not in hits]


def _candidates(tx: Transaction, query: Query, limit: int) -> list[int]:
    """The newest messages that have the query's grams. Through a JSON array, because rows take three times as long."""
    grams = list(dict.fromkeys(gram for word in query.words for gram in _grams(word)))
    chosen = grams[:: -(-len(grams) // MAX_GRAMS)]
    expression = " ".join(f'"{gram.replace(chr(34), chr(34) * 2)}"' for gram in chosen)
    (found,) = next(
        tx.execute(
            "SELECT json_group_array(rowid) FROM "
            "(SELECT rowid FROM search_grams WHERE search_grams MATCH ? ORDER BY rowid DESC LIMIT ?)",
            (expression, limit),
        )
    )
    keys: list[int] = orjson.loads(str(found))
    return keys


def _grams(word: str) -> list[str]:
    """A word's grams as the index has them (store/search_index.py)."""
    if len(word) == 1:
        return [f"{FILLER}{word}{FILLER}"]
    if len(word) == 2:
        return [f"{word[0]}{FILLER}{word[1]}"]
    return [word[start : start + 3] for start in range(len(word) - 2)]


def _closeness(text: str, phrase: str) -> int:
    start = text.find(phrase)
    if start < 0:
        return 0
    end = start + len(phrase)
    return 1 if text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum() else 2
