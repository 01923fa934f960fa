"""Entries: one for each profile's live conversation, one for each saved chat. The JSON is the truth; SQLite indexes it."""

from collections.abc import Iterable, Iterator
from typing import Any

from sidekeep.domain import plain_json
from sidekeep.domain.chat import Chat, ChatId, Live, Measure, SessionId
from sidekeep.domain.checkpoint import Checkpoint
from sidekeep.domain.family import collect_artifact_family
from sidekeep.domain.scope import Scope
from sidekeep.domain.usage import Usage
from sidekeep.store.database import Transaction

# Further members stay in the entry as they are. An imported one's `sessionFile` is a marker and names no file.
_CHAT_FIELDS = frozenset(
    (
        "id",
        "sessionId",
        "name",
        "createdAt",
        "updatedAt",
        "pinned",
        "folder",
        "revision",
        "listed",
        "measure",
        "usage",
        "compactionCheckpoints",
        "usageFamilySessionIds",
    )
)


def live(tx: Transaction, scope: Scope) -> Live | None:
    """The profile's live conversation, where it has one yet."""
    entry = _read(tx, scope.namespace, f"live:{scope.profile}")
    if entry is None:
        return None
    return Live(
        session_id=SessionId(entry["sessionId"]),
        chat_id=ChatId(entry["chatId"]),
        chat_revision=entry["chatRevision"],
        shows_chat=entry["showsChat"],
        usage=_usage(entry),
    )


def put_live(tx: Transaction, scope: Scope, entry: Live) -> None:
    fields = {
        "sessionId": entry.session_id,
        "chatId": entry.chat_id,
        "chatRevision": entry.chat_revision,
        "showsChat": entry.shows_chat,
        **_spent(entry.usage),
    }
    _write(tx, scope.namespace, f"live:{scope.profile}", fields)


def delete_live(tx: Transaction, scope: Scope) -> None:
    _delete(tx, scope.namespace, f"live:{scope.profile}")


def chat(tx: Transaction, namespace: str, chat_id: str) -> Chat | None:
    entry = _read(tx, namespace, f"chat:{chat_id}")
    return None if entry is None else _chat(entry)


def chats_of(tx: Transaction, namespace: str, chat_ids: Iterable[ChatId]) -> list[Chat]:
    """The chats of those ids that are there, in that order."""
    keys = plain_json.write([f"chat:{chat_id}" for chat_id in chat_ids]).decode()
    rows = tx.execute(
        "SELECT entry_json FROM json_each(?1) CROSS JOIN session_entries ON namespace = ?2 AND session_key = value",
        (keys, namespace),
    )
    return [_chat(plain_json.read(raw)) for (raw,) in rows]


def put_chat(tx: Transaction, namespace: str, entry: Chat) -> None:
    fields = {
        **entry.extra,
        "id": entry.id,
        "sessionId": entry.session_id,
        "name": entry.name,
        "createdAt": entry.created_at_ms,
        "updatedAt": entry.updated_at_ms,
        "pinned": entry.pinned,
        "folder": entry.folder,
        "revision": entry.revision,
        "listed": entry.listed,
        "measure": list(entry.measure),  # orjson writes no named tuples
        **_spent(entry.usage),
    }
    if entry.checkpoints:
        fields["compactionCheckpoints"] = [dict(item.fields) for item in entry.checkpoints]
    if entry.usage_family:
        fields["usageFamilySessionIds"] = list(entry.usage_family)
    _write(tx, namespace, f"chat:{entry.id}", fields)


def chats_with_attachment(tx: Transaction, namespace: str, attach_id: str) -> list[Chat]:
    """The saved chats that hold an attachment, the one that changed last first."""
    rows = tx.execute(
        "SELECT entry_json FROM session_entries JOIN transcript_events USING (session_id) "
        "JOIN messages USING (message_pk) WHERE namespace = ? AND kind = 'chat' AND attach_id = ? "
        "GROUP BY session_key ORDER BY updated_at_ms DESC",
        (namespace, attach_id),
    )
    return [_chat(plain_json.read(raw)) for (raw,) in rows]


def delete_chat(tx: Transaction, namespace: str, chat_id: str) -> None:
    _delete(tx, namespace, f"chat:{chat_id}")


def chats(tx: Transaction, namespace: str) -> Iterator[Chat]:
    """Every listed chat, latest activity first."""
    for (raw,) in tx.execute(
        "SELECT entry_json FROM session_entries WHERE namespace = ? AND kind = 'chat' AND entry_json ->> 'listed' "
        "ORDER BY updated_at_ms DESC, session_key",
        (namespace,),
    ):
        yield _chat(plain_json.read(raw))


def records(tx: Transaction, namespace: str, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every entry of that kind ("chat", listed or not; "live"), as it is stored, with what its key says behind the kind."""
    rows: list[Any] = tx.execute(
        "SELECT session_key, entry_json FROM session_entries WHERE namespace = ? AND kind = ? ORDER BY session_key",
        (namespace, kind),
    ).fetchall()
    for session_key, raw in rows:
        yield _named(session_key), plain_json.read(raw)


def names(tx: Transaction, namespace: str, folder: str | None) -> list[tuple[ChatId, str]]:
    """The listed chats, of one folder where one is named, with their names, latest activity first."""
    rows = tx.execute(
        "SELECT session_key, entry_json ->> 'name' FROM session_entries "
        "WHERE namespace = ?1 AND kind = 'chat' AND entry_json ->> 'listed' "
        "AND (?2 IS NULL OR entry_json ->> 'folder' = ?2) ORDER BY updated_at_ms DESC, session_key",
        (namespace, folder),
    )
    return [(ChatId(_named(session_key)), str(name)) for session_key, name in rows]


def live_chat_ids(tx: Transaction, namespace: str) -> set[ChatId]:
    """The chats that are open in some profile."""
    return {
        ChatId(chat_id)
        for (chat_id,) in tx.execute(
            "SELECT entry_json ->> 'chatId' FROM session_entries WHERE namespace = ? AND kind = 'live'", (namespace,)
        )
        if chat_id
    }


def chat_ids_with_body(tx: Transaction, namespace: str) -> list[str]:
    """The ids of all chats, listed or not, that have a transcript."""
    return [
        str(chat_id)
        for (chat_id,) in tx.execute(
            "SELECT entry_json ->> 'id' FROM session_entries WHERE namespace = ? AND kind = 'chat' AND session_id <> ''",
            (namespace,),
        )
    ]


def namespaces(tx: Transaction) -> list[str]:
    """Whose conversations there are."""
    return [str(namespace) for (namespace,) in tx.execute("SELECT DISTINCT namespace FROM session_entries")]


def live_with_chat(tx: Transaction, namespace: str, chat_id: ChatId) -> list[tuple[Scope, Live]]:
    """The live conversations that belong to that chat, each with whose it is."""
    keys = tx.execute(
        "SELECT session_key FROM session_entries WHERE namespace = ? AND kind = 'live' AND entry_json ->> 'chatId' = ?",
        (namespace, chat_id),
    ).fetchall()
    scopes = [Scope(namespace, _named(session_key)) for (session_key,) in keys]
    return [(scope, own) for scope in scopes if (own := live(tx, scope)) is not None]


def family(tx: Transaction, namespace: str, chat_id: str) -> tuple[SessionId, ...]:
    """The transcripts that belong to a chat, its own first; () where it is gone."""
    entry = _read(tx, namespace, f"chat:{chat_id}")
    return () if entry is None else tuple(SessionId(name) for name in collect_artifact_family(entry))


def chat_families(tx: Transaction, namespace: str) -> dict[ChatId, list[SessionId]]:
    """The transcripts of every chat of a namespace, listed or not."""
    families: dict[ChatId, list[SessionId]] = {}
    for session_key, session_id in tx.execute(
        "SELECT session_key, session_id FROM entry_families WHERE namespace = ? AND session_key LIKE 'chat:%'",
        (namespace,),
    ):
        families.setdefault(ChatId(_named(session_key)), []).append(SessionId(session_id))
    return families


def referenced_family_ids(tx: Transaction) -> set[str]:
    """Every session id that some entry's family names."""
    return {str(session_id) for (session_id,) in tx.execute("SELECT DISTINCT session_id FROM entry_families")}


def is_named(tx: Transaction, session_id: SessionId, namespace: str | None = None) -> bool:
    """Whether some entry's family names that transcript: of any namespace, or of that one."""
    found = tx.execute(
        "SELECT 1 FROM entry_families WHERE session_id = ?1 AND (?2 IS NULL OR namespace = ?2)", (session_id, namespace)
    )
    return found.fetchone() is not None


def _named(session_key: Any) -> str:
    """Whose entry it is: the chat's id, or the profile. SQLite's substr ends at a NUL, which an id may have."""
    return str(session_key).partition(":")[2]


def _chat(entry: dict[str, Any]) -> Chat:
    return Chat(
        id=entry["id"],
        session_id=entry["sessionId"],
        name=entry["name"],
        created_at_ms=entry["createdAt"],
        updated_at_ms=entry["updatedAt"],
        pinned=entry["pinned"],
        folder=entry["folder"],
        revision=entry["revision"],
        listed=entry["listed"],
        measure=Measure(*entry["measure"]),
        usage=_usage(entry),
        checkpoints=tuple(
            Checkpoint(item) for item in entry.get("compactionCheckpoints", ()) if isinstance(item, dict)
        ),
        usage_family=tuple(entry.get("usageFamilySessionIds", ())),
        extra=further_members(entry),
    )


def further_members(entry: dict[str, Any]) -> dict[str, Any]:
    """What an entry has that no field of a Chat is made for."""
    return {name: value for name, value in entry.items() if name not in _CHAT_FIELDS}


def _spent(usage: Usage) -> dict[str, Any]:
    """The totals as an entry has them: nothing where nothing was spent."""
    return {"usage": [*usage[:3], dict(usage.costs)]} if usage != Usage() else {}


def _usage(entry: dict[str, Any]) -> Usage:
    return Usage(*entry["usage"]) if "usage" in entry else Usage()


def _read(tx: Transaction, namespace: str, session_key: str) -> dict[str, Any] | None:
    for (raw,) in tx.execute(
        "SELECT entry_json FROM session_entries WHERE namespace = ? AND session_key = ?", (namespace, session_key)
    ):
        entry: dict[str, Any] = plain_json.read(raw)
        return entry
    return None


def _delete(tx: Transaction, namespace: str, session_key: str) -> None:
    tx.execute("DELETE FROM session_entries WHERE namespace = ? AND session_key = ?", (namespace, session_key))


def _write(tx: Transaction, namespace: str, session_key: str, fields: dict[str, Any]) -> None:
    tx.execute(
        "INSERT INTO session_entries (namespace, session_key, entry_json) VALUES (?, ?, ?) "
        "ON CONFLICT (namespace, session_key) DO UPDATE SET entry_json = excluded.entry_json",
        (namespace, session_key, plain_json.write(fields).decode()),
    )
    named = set(collect_artifact_family(fields))
    there = {
        session_id
        for (session_id,) in tx.execute(
            "SELECT session_id FROM entry_families WHERE namespace = ? AND session_key = ?", (namespace, session_key)
        )
    }
    for session_id in there - named:
        tx.execute(
            "DELETE FROM entry_families WHERE session_id = ? AND namespace = ? AND session_key = ?",
            (session_id, namespace, session_key),
        )
    for session_id in named - there:
        tx.execute("INSERT INTO entry_families VALUES (?, ?, ?)", (session_id, namespace, session_key))
