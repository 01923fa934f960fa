"""Whether the rows of a store agree with each other, and putting right what does not.

SQLite checks its pages (store/copying.py); what is said here is what they mean: every transcript is some entry's, every row some
transcript's, every picture is there and is what its hash says.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import orjson

from sidekeep.domain.chat import SessionId
from sidekeep.domain.family import collect_artifact_family
from sidekeep.store import archives, message_rows, search_index, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.database import Transaction


class Complaint(NamedTuple):
    """What is wrong, as a sentence, and whether `repair` puts it right."""

    text: str
    is_repairable: bool = True


class _Rule(NamedTuple):
    """`question` gives what breaks the rule; `repair` takes it away."""

    text: str
    question: str
    repair: Callable[[Transaction, int], object]


def complaints(tx: Transaction) -> Iterator[Complaint]:
    """What is wrong with the rows. It reads every picture and every message."""
    for rule in _RULES:
        (count,) = next(tx.execute(f"SELECT count(*) FROM ({rule.question})"))  # noqa: S608  constants from below
        if count:
            yield Complaint(rule.text.format(count=count))
    if families := _wrong_families(tx):
        yield Complaint(f"{len(families)} entries are not noted with the transcripts that they name.")
    for text in search_index.complaints(tx):
        yield Complaint(text)
    damaged = sum(
        hashlib.sha256(data).digest() != sha256 for sha256, data in tx.execute("SELECT sha256, data FROM blobs")
    )
    if damaged:
        yield Complaint(f"{damaged} pictures are not what they were. A backup may have them.", is_repairable=False)


def repair(tx: Transaction, now_ms: int) -> None:
    """Put right what can be. Nothing that somebody wrote is deleted: transcripts that no entry names go to the archive."""
    # First what entries name: by that a transcript is told that nobody names.
    for namespace, session_key, family in _wrong_families(tx):
        tx.execute("DELETE FROM entry_families WHERE namespace = ? AND session_key = ?", (namespace, session_key))
        for session_id in family:
            tx.execute("INSERT INTO entry_families VALUES (?, ?, ?)", (session_id, namespace, session_key))
    for rule in _RULES:
        rule.repair(tx, now_ms)
    if any(True for _ in search_index.complaints(tx)):
        search_index.rebuild(tx)


def _wrong_families(tx: Transaction) -> list[tuple[str, str, tuple[str, ...]]]:
    noted: dict[tuple[str, str], set[str]] = {}
    for session_id, namespace, session_key in tx.execute(
        "SELECT session_id, namespace, session_key FROM entry_families"
    ):
        noted.setdefault((namespace, session_key), set()).add(session_id)
    wrong = []
    for namespace, session_key, entry in tx.execute("SELECT namespace, session_key, entry_json FROM session_entries"):
        family = collect_artifact_family(orjson.loads(entry))
        if set(family) != noted.get((namespace, session_key), set()):
            wrong.append((namespace, session_key, family))
    return wrong


def _delete(table: str, columns: str, question: str) -> Callable[[Transaction, int], object]:
    return lambda tx, _now_ms: tx.execute(f"DELETE FROM {table} WHERE ({columns}) IN ({question})")  # noqa: S608  constants


def _make_missing_transcripts(tx: Transaction, now_ms: int) -> None:
    for (session_id,) in tx.execute(_MISSING_TRANSCRIPTS).fetchall():
        transcripts.create(tx, now_ms, SessionId(str(session_id)))


def _archive_unnamed(tx: Transaction, now_ms: int) -> None:
    """Whose they were is not known any more, so they go to the archive of Sidekeep's own namespace."""
    from sidekeep.domain.scope import SIDEKEEP

    unnamed = [SessionId(str(session_id)) for (session_id,) in tx.execute(_UNNAMED_TRANSCRIPTS).fetchall()]
    archives.release(tx, unnamed, Departure(SIDEKEEP, "deleted", now_ms, part="earlier"))


def _note_unreferenced(tx: Transaction, now_ms: int) -> None:
    found: list[Any] = tx.execute(_UNREFERENCED_MESSAGES).fetchall()
    rows = [row for (row,) in found]
    message_rows.give_up(tx, rows, now_ms)


_DANGLING_FAMILIES = (
    "SELECT namespace, session_key FROM entry_families "
    "WHERE (namespace, session_key) NOT IN (SELECT namespace, session_key FROM session_entries)"
)
_MISSING_TRANSCRIPTS = (
    "SELECT DISTINCT session_id FROM entry_families WHERE session_id NOT IN (SELECT session_id FROM sessions)"
)
_UNNAMED_TRANSCRIPTS = "SELECT session_id FROM sessions WHERE session_id NOT IN (SELECT session_id FROM entry_families)"
_DANGLING_EVENTS = (
    "SELECT session_id, seq FROM transcript_events WHERE session_id NOT IN (SELECT session_id FROM sessions) "
    "OR message_pk NOT IN (SELECT message_pk FROM messages)"
)
_DANGLING_IDENTITIES = (
    "SELECT session_id, event_id FROM transcript_event_identities "
    "WHERE (session_id, seq) NOT IN (SELECT session_id, seq FROM transcript_events)"
)
_UNREFERENCED_MESSAGES = (
    "SELECT message_pk FROM messages WHERE message_pk NOT IN (SELECT message_pk FROM transcript_events) "
    "AND message_pk NOT IN (SELECT message_pk FROM unreferenced_messages)"
)
_LOST_PICTURES = "SELECT message_pk, position FROM message_pixels WHERE sha256 NOT IN (SELECT sha256 FROM blobs)"
_LOST_ARCHIVED = "SELECT archive_id, sha256 FROM archive_blobs WHERE sha256 NOT IN (SELECT sha256 FROM blobs)"
_UNREFERENCED_PICTURES = (
    "SELECT blob_pk FROM blobs WHERE sha256 NOT IN (SELECT sha256 FROM message_pixels) "
    "AND sha256 NOT IN (SELECT sha256 FROM archive_blobs)"
)

_RULES = (
    _Rule(
        "{count} transcripts are noted for entries that are not there.",
        _DANGLING_FAMILIES,
        _delete("entry_families", "namespace, session_key", _DANGLING_FAMILIES),
    ),
    _Rule(
        "{count} references of transcripts lead to no message.",
        _DANGLING_EVENTS,
        _delete("transcript_events", "session_id, seq", _DANGLING_EVENTS),
    ),
    _Rule(
        "{count} ids of messages belong to no place of a transcript.",
        _DANGLING_IDENTITIES,
        _delete("transcript_event_identities", "session_id, event_id", _DANGLING_IDENTITIES),
    ),
    _Rule("{count} transcripts that entries name are not there.", _MISSING_TRANSCRIPTS, _make_missing_transcripts),
    _Rule("{count} transcripts belong to no entry.", _UNNAMED_TRANSCRIPTS, _archive_unnamed),
    _Rule("{count} messages are in no transcript.", _UNREFERENCED_MESSAGES, _note_unreferenced),
    _Rule(
        "{count} pictures that messages show are not there.",
        _LOST_PICTURES,
        _delete("message_pixels", "message_pk, position", _LOST_PICTURES),
    ),
    _Rule(
        "{count} pictures that archives have are not there.",
        _LOST_ARCHIVED,
        _delete("archive_blobs", "archive_id, sha256", _LOST_ARCHIVED),
    ),
    _Rule(
        "{count} pictures belong to no message and no archive.",
        _UNREFERENCED_PICTURES,
        _delete("blobs", "blob_pk", _UNREFERENCED_PICTURES),
    ),
)
