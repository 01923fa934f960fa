"""Full-text search: which transcripts and archives have a message that holds every word of a query.

Grams give candidates, among them every hit; the texts decide. Of the texts that have no grams as yet (store/search_index.py) all
are read: those that have the words are candidates, too. The words of a query reach FTS5 as quoted grams, so nothing in them is
syntax, and a long query is looked up by some of its grams and compared whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from operator import neg
from typing import NamedTuple, TypeVar

import orjson

from sidekeep.domain.chat import SessionId
from sidekeep.domain.search_text import Query
from sidekeep.store import search_grams
from sidekeep.store.database import Transaction
from sidekeep.store.search_index import grams_until

H = TypeVar("H", SessionId, int)

# How many messages of a holder are compared where the newest is not as close as can be.
COMPARED = 2
AS_CLOSE_AS_CAN_BE = 2
# What follows decides between ways of looking; measured with 100,000 messages.
# A query is common where of the newest messages that have grams one in five has the query's: to find all that have them takes
# longer than to read some that have not.
WINDOW, COMMON_SPREAD = 500, 5
# So many candidates tell whether most of them are hits. Up to so many are all read where they are not.
FEW, MANY = 20, 1000
# For more candidates a holder, guessing whose they are pays.
CANDIDATES_FOR_GUESS = 8
# How many candidates are expected among the newest messages of a holder that are gone through first, and how many messages
# that are at least; and how many times as many the next time.
EXPECTED, FEWEST, FURTHER = 3, 8, 8
# A holder's newest messages are asked for in the time in which 5 candidates are asked for their holders, and one more for
# each 12 messages.
CANDIDATES_FOR_HOLDER, MESSAGES_FOR_CANDIDATE = 5, 12
# So many words are looked for by SQLite, in half the time; more make the statement long.
MAX_WORDS = 4
# Of a character in UTF-8.
MAX_BYTES = 4


class Hit(NamedTuple):
    """The message that answers for a conversation. `closeness`: 2 where it has the query as typed and as whole words, 1 as typed,
    0 where its words stand apart."""

    message_pk: int
    closeness: int


NO_HIT = Hit(0, -1)


class _Holders(NamedTuple):
    """What holds messages, as statements: who holds each of a JSON array of messages; and the newest messages of each of a JSON
    array of holders, as arrays, at most so many."""

    of_messages: str
    messages_of: str


_TRANSCRIPTS = _Holders(
    "SELECT session_id, message_pk FROM json_each(?) CROSS JOIN transcript_events ON message_pk = value",
    "SELECT value, (SELECT json_group_array(message_pk) FROM (SELECT message_pk FROM transcript_events "
    "WHERE session_id = value ORDER BY seq DESC LIMIT ?2)) FROM json_each(?1)",
)
_ARCHIVES = _Holders(
    "SELECT archive_pk, message_pk FROM json_each(?) CROSS JOIN search_archived ON message_pk = value",
    "SELECT value, (SELECT json_group_array(message_pk) FROM (SELECT message_pk FROM search_archived "
    "WHERE archive_pk = value ORDER BY message_pk DESC LIMIT ?2)) FROM json_each(?1)",
)


class Search:
    """One query over what a transaction sees. A blank query finds nothing."""

    def __init__(self, tx: Transaction, query: Query) -> None:
        self._tx = tx
        self.query = query
        self._phrase = query.phrase.encode()
        self._words = sorted((word.encode() for word in query.words), key=len, reverse=True)
        self._grams = search_grams.of(query.words)
        self._closeness: dict[int, int] = {}

    def transcripts(self, session_ids: Collection[SessionId]) -> dict[SessionId, Hit]:
        """Those of the transcripts that have a hit, each with the closest of its newest hits."""
        return self._hits(_TRANSCRIPTS, session_ids)

    def archives(self, namespace: str, folder: str | None = None) -> set[str]:
        """The ids of a namespace's archives, of one folder where one is named, that have a hit."""
        if not self._is_common and not self._candidates:
            return set()
        ids: dict[int, str] = dict(
            self._tx.execute(
                "SELECT archive_pk, archive_id FROM archives JOIN search_archives USING (archive_id) "
                "WHERE namespace = ?1 AND (?2 IS NULL OR folder = ?2)",
                (namespace, folder),
            )
        )
        return {ids[archive_pk] for archive_pk in self._hits(_ARCHIVES, list(ids))}

    @cached_property
    def _newest_key(self) -> int:
        (newest,) = next(self._tx.execute("SELECT coalesce(max(message_pk), 0) FROM search_texts"))
        return int(newest)

    @cached_property
    def _is_common(self) -> bool:
        """Whether many of the newest messages of all have the query's grams; those of a long query are not looked up for it."""
        if not 0 < len(self._grams) <= search_grams.WEIGHED:
            return False
        found = search_grams.newest(self._tx, self._grams, since=grams_until(self._tx) - WINDOW + 1)
        return len(found) * COMMON_SPREAD >= WINDOW

    @cached_property
    def _candidates(self) -> list[int]:
        """The messages to look at, newest first."""
        if not self._grams:
            return []
        found = search_grams.waiting(self._tx, self._words[:MAX_WORDS])
        found += search_grams.newest(self._tx, search_grams.rarest(self._tx, self._grams))
        some = found[:: len(found) // FEW + 1]
        if len(found) > MANY or 2 * len(self._only_hits(some)) > len(some):
            return found
        return self._only_hits(found)  # most are none: to ask who holds those would take as long as to read them

    @cached_property
    def _is_candidate(self) -> Callable[[int], bool]:
        return frozenset(self._candidates).__contains__

    def _hits(self, holders: _Holders, wanted: Collection[H]) -> dict[H, Hit]:
        hits: dict[H, Hit] = {}
        if self._is_common:
            undecided = self._look_at_newest(holders, wanted, hits)
        elif len(self._candidates) > CANDIDATES_FOR_GUESS * len(wanted):
            undecided = self._look_where_guessed(holders, wanted, hits)
        else:
            undecided = list(wanted)
        self._look_at_candidates(holders, undecided, hits)
        return hits

    def _look_at_newest(self, holders: _Holders, wanted: Collection[H], hits: dict[H, Hit]) -> list[H]:
        """Look at the newest messages of each, candidates or not. Returns who has no hit yet and more messages."""
        undecided = list(wanted)
        for reach in (FEWEST, FEWEST * FURTHER):
            newest = self._newest_of(holders, undecided, reach)
            self._look(newest, hits)
            undecided = _undecided(newest, reach, hits)
        return undecided

    def _look_where_guessed(self, holders: _Holders, wanted: Collection[H], hits: dict[H, Hit]) -> list[H]:
        """Look at the candidates just before each one's newest message. Returns who has no hit yet.

        Mostly they are its own, because a conversation's messages are mostly written one after the other.
        """
        places: set[int] = set()
        for keys in self._newest_of(holders, wanted, 1).values():
            for key in keys:
                place = bisect_left(self._candidates, -key, key=neg)
                places.update(range(place, min(place + COMPARED, len(self._candidates))))
        self._look(self._held(holders, wanted, [self._candidates[place] for place in sorted(places)]), hits)
        return [holder for holder in wanted if holder not in hits]

    def _look_at_candidates(self, holders: _Holders, undecided: list[H], hits: dict[H, Hit]) -> None:
        """Look at all candidates that the undecided hold, whichever way is quicker."""
        candidates = self._candidates if undecided else []
        reach = max(FEWEST, EXPECTED * self._newest_key // max(len(candidates), 1))
        while candidates and undecided:
            if len(candidates) <= len(undecided) * (CANDIDATES_FOR_HOLDER + reach // MESSAGES_FOR_CANDIDATE):
                self._look(self._held(holders, undecided, candidates), hits)
                return
            newest = self._newest_of(holders, undecided, reach)
            self._look(self._only_candidates(newest), hits)
            undecided = _undecided(newest, reach, hits)
            reach *= FURTHER

    def _held(self, holders: _Holders, wanted: Iterable[H], keys: list[int]) -> dict[H, list[int]]:
        """Those of the wanted that hold some of those messages, each with what it holds, in the same order."""
        found: dict[H, list[int]] = {}
        for holder, key in self._tx.execute(holders.of_messages, (orjson.dumps(keys).decode(),)):
            found.setdefault(holder, []).append(key)
        return {holder: found[holder] for holder in wanted if holder in found}

    def _newest_of(self, holders: _Holders, wanted: Collection[H], limit: int) -> dict[H, list[int]]:
        """The newest messages of each."""
        rows = self._tx.execute(holders.messages_of, (orjson.dumps(wanted).decode(), limit))
        return {holder: orjson.loads(keys) for holder, keys in rows}

    def _only_hits(self, keys: list[int]) -> list[int]:
        closeness = self._read(keys)
        return [key for key in keys if key in closeness]

    def _only_candidates(self, messages: dict[H, list[int]]) -> dict[H, list[int]]:
        return {holder: list(filter(self._is_candidate, keys)) for holder, keys in messages.items()}

    def _look(self, messages: dict[H, list[int]], hits: dict[H, Hit]) -> None:
        """Look at holders' messages until each has a hit or none left: at the newest first, then at more each time."""
        start, end = 0, 1
        while messages:
            closeness = self._read({key for keys in messages.values() for key in keys[start:end]})
            left: dict[H, list[int]] = {}
            enough = AS_CLOSE_AS_CAN_BE if end < COMPARED else 0
            for holder, keys in messages.items():
                best = hits.get(holder, NO_HIT)
                for key in keys[start:end]:
                    if closeness.get(key, -1) > best.closeness:
                        best = hits[holder] = Hit(key, closeness[key])
                if best.closeness < enough and len(keys) > end:
                    left[holder] = keys
            messages = left
            start, end = end, COMPARED if end < COMPARED else 4 * end

    def _read(self, keys: Collection[int]) -> dict[int, int]:
        """How close those texts come to the query that are hits. At once: a statement for each takes four times as long."""
        unread = sorted(key for key in keys if key not in self._closeness)
        words, others = self._words[:MAX_WORDS], self._words[MAX_WORDS:]
        for key, text in self._tx.execute(
            "SELECT message_pk, text FROM json_each(?) CROSS JOIN search_texts ON message_pk = value"  # noqa: S608  a constant
            + " AND instr(text, ?)" * len(words),
            (orjson.dumps(unread).decode(), *words),
        ):
            if not others or all(word in text for word in others):
                self._closeness[key] = _closeness(text, self._phrase)
        return self._closeness


def _undecided(newest: dict[H, list[int]], reach: int, hits: Collection[H]) -> list[H]:
    """Who has no hit among its newest messages, and more of them."""
    return [holder for holder, keys in newest.items() if holder not in hits and len(keys) == reach]


def _closeness(text: bytes, phrase: bytes) -> int:
    start = text.find(phrase)
    if start < 0:
        return 0
    end = start + len(phrase)
    before, after = text[max(start - MAX_BYTES, 0) : start], text[end : end + MAX_BYTES]
    return 1 if _is_alnum(before[-1:], before, -1) or _is_alnum(after[:1], after, 0) else AS_CLOSE_AS_CAN_BE


def _is_alnum(byte: bytes, around: bytes, index: int) -> bool:
    """Whether a letter or a digit stands next to what was found. Mostly one byte tells, in a third of the time."""
    if byte < b"\x80":
        return byte.isalnum()
    return around.decode(errors="ignore")[index].isalnum()
