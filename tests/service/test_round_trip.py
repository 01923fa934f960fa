"""Export all, delete the store, import: row by row the same. Every table and column is compared, or left out with a reason."""

import shutil
from pathlib import Path
from typing import Any

import orjson
import zstandard
from tests.support import exports
from tests.support.dumps import tables
from tests.support.filled import USAGE, fill
from tests.support.stores import OWN, chat_ids, open_services, plain, prune, rows, say

from sidekeep.service.export_view import Order
from sidekeep.service.services import Services
from sidekeep.store import health, search_index

# A row's own number is another one in another store; what it stands for is compared.
_MESSAGE = (
    "(SELECT message_id || ' ' || role || ' ' || created_at_ms || ' ' || hex(body) FROM messages "
    "WHERE messages.message_pk = {0}.message_pk) AS message_pk"
)
_PLACE = "row_number() OVER (PARTITION BY session_id ORDER BY seq) AS seq"

# The columns of each table as they are compared.
COMPARED: dict[str, tuple[str, ...]] = {
    "archive_blobs": ("archive_id", "sha256"),
    "archives": (
        *("archive_id", "namespace", "session_id", "name", "folder", "reason", "evicted", "archived_at_ms", "messages"),
        *("bytes", "record", "chat_id", "part"),
    ),
    "blobs": ("sha256", "width", "height", "bytes", "thumbnail", "data"),
    "entry_families": ("session_id", "namespace", "session_key"),
    "evictions": ("namespace", "chats", "messages", "since_ms"),
    "folders": ("folder_id", "namespace", "name", "excluded", "created_at_ms"),
    "imports": ("namespace", "fingerprint", "content", "messages", "chat_id", "revision", "kept"),
    "message_pixels": (_MESSAGE.format("message_pixels"), "position", "sha256", "head"),
    "messages": ("message_id", "role", "created_at_ms", "attach_id", "bytes", "area_bytes", "body"),
    "session_entries": ("namespace", "session_key", "entry_json", "kind", "session_id", "updated_at_ms"),
    "sessions": ("session_id",),
    "transcript_event_identities": ("session_id", "event_id", _PLACE),
    "transcript_events": ("session_id", _PLACE, _MESSAGE.format("transcript_events")),
}
LEFT_OUT = {
    "adopted_bodies": "of the browser whose own data this one store took over",
    "adoptions": "the same",
    "archives.due_days": "how often this store found it expired: it asks anew",
    "archives.due_day": "the same",
    "area": "settings of the panel, and what other extensions keep: no conversation",
    "area_values": "the same",
    "blobs.blob_pk": "a number",
    "change_values": "what windows have still to hear, forgotten after a minute",
    "changes": "the same",
    "counted_messages": "learned of models, from answers that this computer had",
    "imports.at_ms": "when this store noted it; nobody reads it",
    "limits_in_force": "a setting of this computer",
    "message_tokens": "estimated again when a request is made",
    "messages.message_pk": "a number",
    "meta": "of this file: its id, and how far its search index is",
    "models": "learned of models",
    "panel_settings": "settings of this computer",
    "partial_answers": "an answer that is being written: the export has the conversation without it",
    "partial_texts": "the same",
    "provider_keys": "no key is ever exported, nor that there is one",
    "request_cuts": "where this computer's last request was cut; the next finds it anew",
    "search_archived": "made from the messages, and compared with them by search_index.complaints",
    "search_archives": "the same",
    "search_texts": "the same",
    "sessions.created_at_ms": "when the rows were written here; nobody reads it",
    "unreferenced_messages": "rows that only a change names, gone with it",
}


def _same(services: Services) -> dict[str, list[Any]]:
    """What two stores must have in common."""
    prune(services)
    with services.database.reading() as tx:
        found: dict[str, list[Any]] = {
            table: tx.execute(
                f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1, 2, 3"
                if len(columns) > 2
                else f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1"
            ).fetchall()
            for table, columns in COMPARED.items()
        }
        assert list(health.complaints(tx)) == []
        assert list(search_index.complaints(tx)) == []
    found["archives"] = [tuple(_unpacked(column) for column in row) for row in found["archives"]]
    # What the import itself notes, of each chat that it brought.
    found["imports"] = [row for row in found["imports"] if not row[1].startswith("sidekeep:")]
    return found


def _unpacked(column: Any) -> Any:
    """An archive's record without the numbers of its rows."""
    if not isinstance(column, bytes):
        return column
    record = orjson.loads(zstandard.decompress(column))
    return [{name: value for name, value in row.items() if name != "row"} for row in record["messages"]]


def _fill_and_more(services: Services, folder: Path) -> None:
    """Also what limits and other programs leave: counted evictions, kept records, titles, sums of usage, further members."""
    fill(services)
    services.imports.run(OWN, [exports.SHARED_SAMPLES / "claude-conversations.json"])
    chat = next(chat for chat in chat_ids(services) if not services.chats.get(OWN, chat, "none")[0].folder)
    services.chats.rename(OWN, chat, "A title of its own 日本")
    services.settings.attach(services.database)
    services.settings.set({"limits.chats": rows(services, "session_entries"), "limits.messages": 6})
    for number in range(4):
        services.conversation.clear(OWN)
        services.conversation.append(OWN, say(f"one more {number}"))
        cost = {"amount": 0.1, "currency": "EUR", "asOf": "2026-01-01"}
        services.conversation.append(OWN, say("answer", role="assistant", usage={**USAGE, "cost": cost}))
    for number in range(6):
        services.conversation.append(OWN, say(f"and on {number}"))
        services.conversation.append(OWN, say("answer", role="assistant"))
    (folder / "many.json").write_bytes(orjson.dumps([exports.claude(number) for number in range(12)]))
    services.imports.run(OWN, [folder / "many.json"])
    services.settings.set({"limits.chats": 0, "limits.messages": 0})


def test_every_table_and_column_is_compared_or_left_out_with_a_reason(tmp_path: Path) -> None:
    with open_services(tmp_path / "home") as services, services.database.reading() as tx:
        there = {
            f"{table}.{column}"
            for table in tables(tx)
            for (column,) in tx.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))
        }
    decided = {f"{table}.{column.rpartition(' ')[2]}" for table, columns in COMPARED.items() for column in columns}
    left = {place for place in there if place in LEFT_OUT or place.partition(".")[0] in LEFT_OUT}
    assert decided | left == there, "decide whether an export carries it, and say so here"
    assert decided.isdisjoint(left)
    assert {place for place in LEFT_OUT if "." not in place} <= {place.partition(".")[0] for place in there}


def test_export_all_delete_the_store_import_is_equal_row_by_row(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_services(home) as services:
        _fill_and_more(services, tmp_path)
        before = _same(services)
        archived = [plain(services.archives.get(OWN, row[0], "full")[1]) for row in before["archives"]]
        file = services.exports.make(OWN, Order(target=tmp_path / "all.json")).file
    assert all(before.values()), "each of the tables has something to compare"
    shutil.rmtree(home)
    with open_services(home) as services:
        services.settings.attach(services.database)
        services.settings.set({"limits.chats": 0, "limits.messages": 0, "limits.folders": 0})
        report = services.imports.run(OWN, [file])
        assert report.failed == []
        assert _same(services) == before
        assert [plain(services.archives.get(OWN, row[0], "full")[1]) for row in before["archives"]] == archived
        assert services.imports.run(OWN, [file]).counts["unchanged"] == sum(report.counts.values())
        assert _same(services) == before
        again = services.exports.make(OWN, Order(target=tmp_path / "again.json")).file
    assert _but_time(again) == _but_time(file)


def _but_time(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(file.read_bytes())
    assert found.pop("exportedAt")
    # The second store knows that it was imported.
    found["imports"] = [each for each in found["imports"] if not each["fingerprint"].startswith("sidekeep:")]
    return found
