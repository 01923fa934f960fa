"""Folders: names that chats can be filed under. A chat's entry names its folder; the folder knows nothing of its chats."""

import uuid
from typing import Any, NamedTuple

from sidekeep.store.database import Transaction


class Folder(NamedTuple):
    """`chats` counts the listed chats in it; `excluded` keeps it from other programs (the MCP server)."""

    id: str
    name: str
    excluded: bool
    chats: int


_FOLDERS = (
    "SELECT folder_id, name, excluded, (SELECT count(*) FROM session_entries AS entry WHERE entry.namespace = "
    "folders.namespace AND kind = 'chat' AND entry_json ->> 'listed' AND entry_json ->> 'folder' = folder_id) FROM folders "
)


def all_of(tx: Transaction, namespace: str) -> list[Folder]:
    """A namespace's folders, oldest first."""
    rows: list[Any] = tx.execute(
        _FOLDERS + "WHERE namespace = ? ORDER BY created_at_ms, folder_id", (namespace,)
    ).fetchall()
    return [_folder(row) for row in rows]


def find(tx: Transaction, namespace: str, folder_id: str) -> Folder | None:
    for row in tx.execute(_FOLDERS + "WHERE namespace = ? AND folder_id = ?", (namespace, folder_id)):
        return _folder(row)
    return None


def count(tx: Transaction, namespace: str) -> int:
    return int(next(tx.execute("SELECT count(*) FROM folders WHERE namespace = ?", (namespace,)))[0])


def create(tx: Transaction, namespace: str, name: str, now_ms: int) -> Folder:
    folder_id = str(uuid.uuid4())
    tx.execute("INSERT INTO folders VALUES (?, ?, ?, 0, ?)", (folder_id, namespace, name, now_ms))
    return Folder(folder_id, name, excluded=False, chats=0)


def put(tx: Transaction, namespace: str, folder: Folder, created_at_ms: int) -> None:
    """Make a folder again that an export brings."""
    tx.execute(
        "INSERT INTO folders VALUES (?, ?, ?, ?, ?)",
        (folder.id, namespace, folder.name, folder.excluded, created_at_ms),
    )


def is_free(tx: Transaction, folder_id: str) -> bool:
    """Whether no folder of any namespace has that id."""
    return tx.execute("SELECT 1 FROM folders WHERE folder_id = ?", (folder_id,)).fetchone() is None


def created_at_ms(tx: Transaction, folder_id: str) -> int:
    return int(next(tx.execute("SELECT created_at_ms FROM folders WHERE folder_id = ?", (folder_id,)))[0])


def rename(tx: Transaction, folder_id: str, name: str) -> None:
    tx.execute("UPDATE folders SET name = ? WHERE folder_id = ?", (name, folder_id))


def exclude(tx: Transaction, folder_id: str, *, excluded: bool) -> None:
    tx.execute("UPDATE folders SET excluded = ? WHERE folder_id = ?", (excluded, folder_id))


def delete(tx: Transaction, namespace: str, folder_id: str) -> None:
    """Delete a folder; its chats, listed or not, are in none from now on. Archives go on naming it."""
    tx.execute(
        "UPDATE session_entries SET entry_json = json_set(entry_json, '$.folder', NULL) "
        "WHERE namespace = ? AND kind = 'chat' AND entry_json ->> 'folder' = ?",
        (namespace, folder_id),
    )
    tx.execute("DELETE FROM folders WHERE folder_id = ?", (folder_id,))


def _folder(row: Any) -> Folder:
    folder_id, name, excluded, chats = row
    return Folder(folder_id, name, bool(excluded), chats)
