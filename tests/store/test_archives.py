"""The one path on which transcripts leave: archived whole, then deleted, in one transaction."""

from typing import Any

import orjson
import pytest
import zstandard

from sidekeep.domain.chat import Chat, ChatId, SessionId
from sidekeep.domain.message import MessageId, NewMessage
from sidekeep.domain.pixels import Cut
from sidekeep.store import archive_records, archived, archives, blobs, changes, entries, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.blobs import BlobInfo
from sidekeep.store.database import Database, Transaction

NOW_MS = 1_700_000_000_000
DELETED = Departure("sidekeep", "deleted", NOW_MS, "A chat", "folder")
SHA = b"\x01" * 32


def _transcript(tx: Transaction, *texts: str, cuts: tuple[Cut, ...] = ()) -> SessionId:
    session_id = transcripts.create(tx, NOW_MS)
    for text in texts:
        body = orjson.dumps({"role": "user", "content": text})
        transcripts.append(
            tx, session_id, NewMessage(MessageId(text), "user", NOW_MS, None, len(body), len(body), body, cuts)
        )
    return session_id


def _entry(tx: Transaction, chat_id: str, session_id: SessionId, **extra: Any) -> None:
    entries.put_chat(tx, "sidekeep", Chat(ChatId(chat_id), session_id, "name", NOW_MS, NOW_MS, extra=extra))


def _archives(tx: Transaction) -> list[tuple[str, str, list[str]]]:
    """(reason, session id, message ids) of each archive."""
    rows: list[Any] = tx.execute("SELECT reason, session_id, record FROM archives ORDER BY rowid").fetchall()
    return [
        (reason, session_id, [message["id"] for message in orjson.loads(zstandard.decompress(record))["messages"]])
        for reason, session_id, record in rows
    ]


def test_a_transcript_that_nothing_names_is_archived_and_deleted(database: Database) -> None:
    with database.transaction() as tx:
        session_id = _transcript(tx, "a", "b")
        assert archives.release(tx, [session_id], DELETED) == 2
        assert _archives(tx) == [("deleted", session_id, ["a", "b"])]
        assert transcripts.messages(tx, session_id) == []
        changes.prune(tx, NOW_MS + 1)
        assert tx.execute("SELECT count(*) FROM messages").fetchall() == [(0,)]


def test_the_archive_has_everything_a_message_had(database: Database) -> None:
    cut = Cut(5, SHA, "data:image/png;base64,")
    with database.transaction() as tx:
        blobs.put(tx, BlobInfo(SHA, 1, 1, 3), b"abc", None)
        session_id = _transcript(tx, "a", cuts=(cut,))
        archives.release(tx, [session_id], DELETED)
        (record, name, folder, at_ms, count, size) = next(
            tx.execute("SELECT record, name, folder, archived_at_ms, messages, bytes FROM archives")
        )
    assert (name, folder, at_ms, count) == ("A chat", "folder", NOW_MS, 1)
    body = '{"role":"user","content":"a"}'
    assert size == len(body)
    assert orjson.loads(zstandard.decompress(record))["messages"] == [
        {
            "row": 1,
            "id": "a",
            "role": "user",
            "createdAt": NOW_MS,
            "attachId": None,
            "bytes": len(body),
            "areaBytes": len(body),
            "body": body,
            "cuts": [[5, SHA.hex(), "data:image/png;base64,"]],
        }
    ]


def test_pictures_stay_while_an_archive_names_them(database: Database) -> None:
    with database.transaction() as tx:
        blobs.put(tx, BlobInfo(SHA, 1, 1, 3), b"abc", None)
        archives.release(tx, [_transcript(tx, "a", cuts=(Cut(5, SHA, "head"),))], DELETED)
        changes.prune(tx, NOW_MS + 1)  # what other hosts have not read yet names pictures too
        blobs.drop_unreferenced(tx, [SHA])
        assert blobs.original(tx, SHA) is not None
        tx.execute("DELETE FROM archives")
        blobs.drop_unreferenced(tx, [SHA])
        assert blobs.original(tx, SHA) is None


def test_a_shared_transcript_stays_until_the_last_entry_that_names_it_goes(database: Database) -> None:
    with database.transaction() as tx:
        shared, own = _transcript(tx, "shared"), _transcript(tx, "own")
        _entry(tx, "one", own, usageFamilySessionIds=[shared])
        _entry(
            tx,
            "two",
            _transcript(tx, "another"),
            compactionCheckpoints=[{"preCompaction": {"sessionId": shared}, "postCompaction": {"sessionId": ""}}],
        )
        family = entries.family(tx, "sidekeep", "one")
        assert family == (own, shared)
        entries.delete_chat(tx, "sidekeep", "one")
        archives.release_family(tx, family, DELETED)
        assert [session_id for _, session_id, _ in _archives(tx)] == [own]
        assert len(transcripts.messages(tx, shared)) == 1
        family = entries.family(tx, "sidekeep", "two")
        entries.delete_chat(tx, "sidekeep", "two")
        archives.release_family(tx, family, DELETED)
        assert [session_id for _, session_id, _ in _archives(tx)] == [own, *family]
        assert tx.execute("SELECT count(*) FROM sessions").fetchall() == [(0,)]


def test_rows_that_another_transcript_has_stay(database: Database) -> None:
    with database.transaction() as tx:
        first = _transcript(tx, "a", "b")
        second = transcripts.create(tx, NOW_MS)
        transcripts.copy(tx, first, second)
        _entry(tx, "two", second)
        archives.release(tx, [first], DELETED)
        assert [message.message_id for message in transcripts.messages(tx, second)] == ["a", "b"]


def test_an_empty_transcript_leaves_no_archive(database: Database) -> None:
    with database.transaction() as tx:
        assert archives.release(tx, [_transcript(tx)], DELETED) == 0
        assert _archives(tx) == []
        assert tx.execute("SELECT count(*) FROM sessions").fetchall() == [(0,)]


@pytest.mark.parametrize("broken", ["the archive", "the deletion"])
def test_the_archive_and_the_deletion_are_one(database: Database, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    with database.transaction() as tx:
        session_id = _transcript(tx, "a")
        _entry(tx, "one", session_id)

    def fail(*_: object) -> None:
        raise OSError("the machine stops here")

    monkeypatch.setattr(
        *((archive_records, "pack", fail) if broken == "the archive" else (transcripts, "delete", fail))
    )
    with pytest.raises(OSError, match="stops here"):
        _delete_chat(database, "one")
    with database.reading() as tx:
        assert entries.chat(tx, "sidekeep", "one") is not None
        assert len(transcripts.messages(tx, session_id)) == 1
        assert _archives(tx) == []


def _delete_chat(database: Database, chat_id: str) -> None:
    with database.transaction() as tx:
        family = entries.family(tx, "sidekeep", chat_id)
        entries.delete_chat(tx, "sidekeep", chat_id)
        archives.release_family(tx, family, DELETED)


def test_only_the_callers_archives_are_counted(database: Database) -> None:
    with database.transaction() as tx:
        archives.release(tx, [_transcript(tx, "a")], DELETED)
        assert archived.totals(tx, "sidekeep")[0] == 1
        assert archived.totals(tx, "another") == (0, 0)
