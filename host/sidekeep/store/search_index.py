"""The full-text index: each message's text once, folded, and its grams, whoever refers to the message.

A text has its message's key. It stays while the row is there or an archive keeps it, and meanwhile no other row gets that key.
Grams only tell which texts to look at (store/search.py): every run of one, two or three characters. A filler between characters
makes FTS5's trigram tokenizer yield the shorter runs too. FTS5 keeps neither texts nor positions: it is told a text's grams
again to take them out, so a text is never changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from sidekeep.store.database import Transaction

# A control character: folded texts have none.
FILLER = "\x01"


def add(tx: Transaction, body: bytes) -> int:
    """Index a message that is about to be written. Returns the key that its row has to take."""
    text = _searched(body)
    tx.execute("INSERT INTO search_texts (text) VALUES (?)", (text.encode(),))
    message_pk = tx.last_insert_rowid()
    _add_grams(tx, message_pk, text)
    return message_pk


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
    for key in keys:
        rows: list[Any] = tx.execute(
            "SELECT text FROM search_texts WHERE message_pk = ?1 "
            "AND NOT EXISTS (SELECT 1 FROM messages WHERE message_pk = ?1) "
            "AND NOT EXISTS (SELECT 1 FROM search_archived WHERE message_pk = ?1)",
            (key,),
        ).fetchall()
        for (text,) in rows:
            grams = _spelled(text.decode())
            tx.execute("INSERT INTO search_grams (search_grams, rowid, grams) VALUES ('delete', ?, ?)", (key, grams))
            if erasing:
                tx.execute("UPDATE search_texts SET text = zeroblob(length(text)) WHERE message_pk = ?", (key,))
            tx.execute("DELETE FROM search_texts WHERE message_pk = ?", (key,))


def rewrite(tx: Transaction) -> None:
    """Write the grams anew, without those that were taken out: until then FTS5 only notes that they are gone."""
    tx.execute("INSERT INTO search_grams (search_grams) VALUES ('optimize')")


def build(tx: Transaction) -> None:
    """Index every message and archive of a store that has no index yet (store/migrations.py)."""
    from sidekeep.store import archive_records

    for message_pk, body in tx.execute("SELECT message_pk, body FROM messages ORDER BY message_pk"):
        text = _searched(body)
        tx.execute("INSERT INTO search_texts VALUES (?, ?)", (message_pk, text.encode()))
        _add_grams(tx, message_pk, text)
    for archive_id, record in tx.execute("SELECT archive_id, record FROM archives"):
        keep(tx, archive_id, [add(tx, message.body) for message in archive_records.unpack(record)])


def rebuild(tx: Transaction) -> None:
    """Throw the index away and make it anew."""
    tx.execute("INSERT INTO search_grams (search_grams) VALUES ('delete-all')")
    for table in ("search_archived", "search_archives", "search_texts"):
        tx.execute(f"DELETE FROM {table}")  # noqa: S608  from above
    build(tx)


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
    """Grams are compared by how many texts each stands in, and the sum of their keys."""
    expected: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for message_pk, text in tx.execute("SELECT message_pk, text FROM search_texts"):
        spelled = _spelled(text.decode(errors="replace"))
        for gram in {spelled[start : start + 3] for start in range(len(spelled) - 2)}:
            expected[gram][0] += 1
            expected[gram][1] += message_pk
    tx.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms USING fts5vocab (main, search_grams, instance)")
    there: dict[str, list[int]] = {
        term: [count, keys]
        for term, count, keys in tx.execute("SELECT term, count(*), sum(doc) FROM search_terms GROUP BY term")
    }
    differing = sum(expected.get(gram) != there.get(gram) for gram in expected.keys() | there.keys())
    if differing:
        yield f"{differing} grams of the index are not those of its texts."


def _add_grams(tx: Transaction, message_pk: int, text: str) -> None:
    tx.execute("INSERT INTO search_grams (rowid, grams) VALUES (?, ?)", (message_pk, _spelled(text)))


def _searched(body: bytes) -> str:
    from sidekeep.domain import search_text  # its imports are nothing for a browser's start

    return search_text.fold(search_text.searched_text(orjson.loads(body)))


def _spelled(text: str) -> str:
    """The text as the tokenizer reads it, which makes a term of every three characters: its words, then its characters apart.

    Three characters across two words are a term, too: a candidate too many now and then.
    """
    words = sorted(set(text.split(" ")))
    return f"{FILLER.join(words)}{FILLER}{FILLER}{FILLER.join(''.join(words))}{FILLER}"
