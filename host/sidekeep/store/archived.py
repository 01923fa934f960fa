"""What is in the archive: found, read, given back (store/erasing.py purges it)."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import orjson

from sidekeep.domain.chat import ChatId, SessionId
from sidekeep.domain.message import StoredMessage
from sidekeep.store import archive_records, search_index
from sidekeep.store.archives import Part, Reason
from sidekeep.store.database import Transaction

_COLUMNS = "archive_id, session_id, chat_id, name, folder, reason, evicted, part, archived_at_ms, messages, bytes"


class Archive(NamedTuple):
    """A transcript that left, as it was. `chat_id` names the chat it belonged to ("" for none)."""

    id: str
    session_id: SessionId
    chat_id: ChatId
    name: str
    folder: str | None
    reason: Reason
    evicted: bool
    part: Part
    archived_at_ms: int
    messages: int
    bytes: int


class Wanted(NamedTuple):
    """Which archives: None is any. `ids` are those that a search has found."""

    reason: str | None = None
    evicted: bool | None = None
    ids: Collection[str] | None = None


def page(tx: Transaction, namespace: str, wanted: Wanted, *, limit: int, offset: int) -> tuple[list[Archive], int]:
    """A page of the archives, latest first, and how many there are in all."""
    where = (
        "namespace = ?1 AND (?2 IS NULL OR reason = ?2) AND (?3 IS NULL OR evicted = ?3) "
        "AND (?4 IS NULL OR archive_id IN (SELECT value FROM json_each(?4)))"
    )
    ids = orjson.dumps(list(wanted.ids)).decode() if wanted.ids is not None else None
    bindings = (namespace, wanted.reason, wanted.evicted, ids)
    rows: list[Any] = tx.execute(
        f"SELECT {_COLUMNS} FROM archives WHERE {where} ORDER BY archived_at_ms DESC, rowid DESC LIMIT ?5 OFFSET ?6",  # noqa: S608  constants
        (*bindings, limit, offset),
    ).fetchall()
    (total,) = next(tx.execute(f"SELECT count(*) FROM archives WHERE {where}", bindings))  # noqa: S608  constants
    return [_archive(row) for row in rows], int(total)


def find(tx: Transaction, namespace: str, archive_id: str) -> Archive | None:
    for row in tx.execute(
        f"SELECT {_COLUMNS} FROM archives WHERE namespace = ? AND archive_id = ?",  # noqa: S608  constants
        (namespace, archive_id),
    ):
        return _archive(row)
    return None


def names(tx: Transaction, namespace: str, folder: str | None = None) -> list[tuple[str, str]]:
    """Every archive's id and name; of one folder where one is named."""
    rows: list[Any] = tx.execute(
        "SELECT archive_id, name FROM archives WHERE namespace = ?1 AND (?2 IS NULL OR folder = ?2)",
        (namespace, folder),
    ).fetchall()
    return rows


def of_session(tx: Transaction, session_id: SessionId) -> Archive | None:
    """The archive of that transcript."""
    for row in tx.execute(f"SELECT {_COLUMNS} FROM archives WHERE session_id = ?", (session_id,)):  # noqa: S608  constants
        return _archive(row)
    return None


def of_chat(tx: Transaction, namespace: str, chat_id: ChatId) -> list[str]:
    """The ids of the archives of what that chat had."""
    found = tx.execute("SELECT archive_id FROM archives WHERE namespace = ? AND chat_id = ?", (namespace, chat_id))
    return [str(archive_id) for (archive_id,) in found]


def chats_of(tx: Transaction, archive_ids: Sequence[str]) -> list[tuple[str, ChatId]]:
    """The chats that those archives are of, each with its namespace."""
    wanted = orjson.dumps(list(archive_ids)).decode()
    rows: list[Any] = tx.execute(
        "SELECT DISTINCT namespace, chat_id FROM json_each(?) CROSS JOIN archives ON archive_id = value "
        "WHERE chat_id <> ''",
        (wanted,),
    ).fetchall()
    return rows


def before(tx: Transaction, namespace: str | None, at_ms: int) -> list[str]:
    """The ids of the archives made before a time; of every namespace where none is named."""
    found = tx.execute(
        "SELECT archive_id FROM archives WHERE (?1 IS NULL OR namespace = ?1) AND archived_at_ms < ?2",
        (namespace, at_ms),
    )
    return [str(archive_id) for (archive_id,) in found]


def totals(tx: Transaction, namespace: str) -> tuple[int, int]:
    """How many archives a namespace has, and the bytes of what they hold."""
    count, size = next(
        tx.execute("SELECT count(*), coalesce(sum(bytes), 0) FROM archives WHERE namespace = ?", (namespace,))
    )
    return int(count), int(size)


def messages(tx: Transaction, archive_id: str) -> list[StoredMessage]:
    """What is in an archive, in order."""
    for (record,) in tx.execute("SELECT record FROM archives WHERE archive_id = ?", (archive_id,)):
        return archive_records.unpack(record)
    return []


def give_back(tx: Transaction, archive_id: str, now_ms: int) -> SessionId:
    """Make an archive a transcript again; the archive is gone then."""
    session_id = archive_records.put_back(tx, messages(tx, archive_id), now_ms)
    search_index.release(tx, archive_id)
    tx.execute("DELETE FROM archives WHERE archive_id = ?", (archive_id,))
    return session_id


def _archive(row: Any) -> Archive:
    archive = Archive(*row)
    return archive._replace(evicted=bool(archive.evicted))
