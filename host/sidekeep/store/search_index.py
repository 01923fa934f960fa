"""The full-text index: each message's text once, folded, and its grams, whoever refers to the message.

A text has its message's key. It stays while the row is there or an archive keeps it, and meanwhile no other row gets that key.
It is written with its message; its grams, which take ten times as long, in a quiet moment (service/indexing.py). Until then a
search reads the texts that wait. They are those beyond one key, `grams_until`, so a message that is written marks nothing.
Grams only tell which texts to look at (store/search.py): every run of one, two or three characters. A filler between characters
makes FTS5's trigram tokenizer yield the shorter runs too. FTS5 keeps neither texts nor positions: it is told a text's grams
again to take them out, so a text is never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from sidekeep.store.database import Transaction

# A control character: folded texts have none.
FILLER = "\x01"
_GRAMS_UNTIL = "grams_until"


def add(tx: Transaction, body: bytes) -> int:
    """Keep the text of a message that is about to be written. Returns the key that its row has to take."""
    tx.execute("INSERT INTO search_texts (text) VALUES (?)", (_searched(body).encode(),))
    return tx.last_insert_rowid()


def grams_until(tx: Transaction) -> int:
    """The key up to which every text has its grams, and beyond which none has."""
    for (value,) in tx.execute("SELECT value FROM meta WHERE name = ?", (_GRAMS_UNTIL,)):
        return int(value)
    return 0


def is_behind(tx: Transaction) -> bool:
    """Whether texts wait for their grams."""
    return tx.execute("SELECT 1 FROM search_texts WHERE message_pk > ?", (grams_until(tx),)).fetchone() is not None


def catch_up(tx: Transaction, max_bytes: int | None = None) -> None:
    """Index the texts that wait, oldest first: until so many bytes of them are done, one at least; None: all of them."""
    until, done = grams_until(tx), 0
    for key, text in tx.execute(
        "SELECT message_pk, text FROM search_texts WHERE message_pk > ? ORDER BY message_pk", (until,)
    ):
        tx.execute("INSERT INTO search_grams (rowid, grams) VALUES (?, ?)", (key, _spelled(text.decode())))
        until, done = key, done + len(text)
        if max_bytes is not None and done >= max_bytes:
            break
    _note(tx, until)


def keep(tx: Transaction, archive_id: str, keys: Iterable[int]) -> None:
    """Keep the texts of an archive's messages, whatever becomes of their rows."""
    tx.execute("INSERT INTO search_archives (archive_id) VALUES (?)", (archive_id,))
    archive_pk = tx.last_insert_rowid()
    for key in keys:
        tx.execute("INSERT INTO search_archived VALUES (?, ?)", (archive_pk, key))


def release(tx: Transaction, archive_id: str, *, erasing: bool = False) -> None:
    """Let go of what `keep` kept for an archive. Texts whose message is gone from everywhere go."""
    keys: list[Any] = tx.execute(
        "DELETE FROM search_archived WHERE archive_pk = (SELECT archive_pk FROM search_archives WHERE archive_id = ?) "
        "RETURNING message_pk",
        (archive_id,),
    ).fetchall()
    tx.execute("DELETE FROM search_archives WHERE archive_id = ?", (archive_id,))
    drop(tx, (key for (key,) in keys), erasing=erasing)


def drop(tx: Transaction, keys: Iterable[int], *, erasing: bool = False) -> None:
    """Take those texts out whose row is gone and which no archive keeps.

    `erasing`: they are overwritten where they stand; grams stay in the file until `rewrite`.
    """
    until = grams_until(tx)
    for key in keys:
        rows: list[Any] = tx.execute(
            "SELECT text FROM search_texts WHERE message_pk = ?1 "
            "AND NOT EXISTS (SELECT 1 FROM messages WHERE message_pk = ?1) "
            "AND NOT EXISTS (SELECT 1 FROM search_archived WHERE message_pk = ?1)",
            (key,),
        ).fetchall()
        for (text,) in rows:
            if key <= until:
                grams = _spelled(text.decode())
                tx.execute(
                    "INSERT INTO search_grams (search_grams, rowid, grams) VALUES ('delete', ?, ?)", (key, grams)
                )
            if erasing:
                tx.execute("UPDATE search_texts SET text = zeroblob(length(text)) WHERE message_pk = ?", (key,))
            tx.execute("DELETE FROM search_texts WHERE message_pk = ?", (key,))
    _lower(tx, until)


def rewrite(tx: Transaction) -> None:
    """Write the grams anew, without those that were taken out: until then FTS5 only notes that they are gone."""
    tx.execute("INSERT INTO search_grams (search_grams) VALUES ('optimize')")


def build(tx: Transaction) -> None:
    """Keep the text of every message and archive of a store that has no index yet (store/migrations.py); grams come later."""
    from sidekeep.store import archive_records

    _note(tx, 0)
    for message_pk, body in tx.execute("SELECT message_pk, body FROM messages ORDER BY message_pk"):
        tx.execute("INSERT INTO search_texts VALUES (?, ?)", (message_pk, _searched(body).encode()))
    for archive_id, record in tx.execute("SELECT archive_id, record FROM archives"):
        keep(tx, archive_id, [add(tx, message.body) for message in archive_records.unpack(record)])


def rebuild(tx: Transaction) -> None:
    """Throw the index away and make it anew."""
    tx.execute("INSERT INTO search_grams (search_grams) VALUES ('delete-all')")
    for table in ("search_archived", "search_archives", "search_texts"):
        tx.execute(f"DELETE FROM {table}")  # noqa: S608  from above
    build(tx)
    catch_up(tx)


def complaints(tx: Transaction) -> Iterator[str]:
    """What is wrong with the index, a sentence each: it reads every message and every gram."""
    yield from _wrong_texts(tx)
    yield from _wrong_grams(tx)


def _wrong_texts(tx: Transaction) -> Iterator[str]:
    for message_pk, body, text in tx.execute(
        "SELECT message_pk, body, text FROM messages LEFT JOIN search_texts USING (message_pk)"
    ):
        if text is None:
            yield f"Message row {message_pk} has no text in the index."
        elif text.decode(errors="replace") != _searched(body):
            yield f"The index has another text for message row {message_pk}."
    for (message_pk,) in tx.execute(
        "SELECT message_pk FROM search_texts WHERE message_pk NOT IN (SELECT message_pk FROM messages) "
        "AND message_pk NOT IN (SELECT message_pk FROM search_archived)"
    ):
        yield f"The index has a text, {message_pk}, that no message and no archive has."
    for archive_id, kept, messages in tx.execute(
        "SELECT archive_id, (SELECT count(*) FROM search_archived JOIN search_archives USING (archive_pk) "
        "WHERE search_archives.archive_id = archives.archive_id), messages FROM archives"
    ):
        if kept != messages:
            yield f"The index keeps {kept} texts for archive {archive_id}, which has {messages} messages."


def _wrong_grams(tx: Transaction) -> Iterator[str]:
    """Pairs of a gram and a text are counted, and their hashes summed up: a store may have more grams than memory."""
    until = grams_until(tx)
    if until > _newest(tx):
        yield f"The index is said to be whole up to {until}, which no text has."
    tx.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms USING fts5vocab (main, search_grams, instance)")
    expected = _summed(_grams_expected(tx, until))
    there = _summed(tx.execute("SELECT term, doc FROM search_terms"))
    if there != expected:
        yield f"The index has {there[0]} grams of texts, and they are not the {expected[0]} that its texts have."


def _grams_expected(tx: Transaction, until: int) -> Iterator[tuple[str, int]]:
    for message_pk, text in tx.execute("SELECT message_pk, text FROM search_texts WHERE message_pk <= ?", (until,)):
        spelled = _spelled(text.decode(errors="replace"))
        for gram in {spelled[start : start + 3] for start in range(len(spelled) - 2)}:
            yield gram, message_pk


def _summed(pairs: Iterable[Any]) -> tuple[int, int]:
    """How many pairs there are, and the sum of their hashes, in whichever order they come."""
    count = total = 0
    for pair in pairs:
        count += 1
        total += hash(pair)
    return count, total


def _lower(tx: Transaction, until: int) -> None:
    """The keys of the newest texts, where those have gone, are given again, to texts that will wait for their grams."""
    newest = _newest(tx)
    if newest < until:
        _note(tx, newest)


def _note(tx: Transaction, until: int) -> None:
    tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_GRAMS_UNTIL, str(until)))


def _newest(tx: Transaction) -> int:
    """The last key that a text has; 0 where there is none."""
    (newest,) = next(tx.execute("SELECT coalesce(max(message_pk), 0) FROM search_texts"))
    return int(newest)


def _searched(body: bytes) -> str:
    from sidekeep.domain import search_text  # its imports are nothing for a browser's start

    return search_text.fold(search_text.searched_text(orjson.loads(body)))


def _spelled(text: str) -> str:
    """The text as the tokenizer reads it, which makes a term of every three characters: its words, then its characters apart.

    Three characters across two words are a term, too: a candidate too many now and then.
    """
    words = sorted(set(text.split(" ")))
    return f"{FILLER.join(words)}{FILLER}{FILLER}{FILLER.join(''.join(words))}{FILLER}"
