"""Killed at any statement of a step that destroys, the store has the old state or the new one, and nothing between."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.statements import cut_at_every_statement
from tests.support.stores import OWN, live_messages, open_services, plain, say

from sidekeep import paths
from sidekeep.service.services import Services
from sidekeep.store import search_index
from sidekeep.store.database import Database
from sidekeep.store.migrations import STEPS

NAME = "The chat"


def prepare(home: Path) -> None:
    """A chat with a checkpoint, at its limit of messages, and another that is open."""
    with open_services(home) as services:
        for number in range(4):
            services.conversation.append(OWN, say(f"question {number}"))
            services.conversation.append(OWN, say(f"answer {number}", role="assistant"))
        done = services.checkpoints.compact(OWN, None, "A summary.")
        services.chats.rename(OWN, done.chat.id, NAME)
        services.conversation.clear(OWN)
        services.conversation.append(OWN, say("open"))
        services.settings.attach(services.database)
        services.settings.set({"limits.chats": 2, "limits.messages": 5})


def named(services: Services) -> str:
    return next(chat.id for chat, _ in services.chats.page(OWN, limit=9, offset=0).chats if chat.name == NAME)


def delete(services: Services) -> None:
    services.chats.delete(OWN, [named(services)])


def delete_for_good(services: Services) -> None:
    services.chats.delete_for_good(OWN, [named(services)])


def evict_a_chat(services: Services) -> None:
    services.settings.attach(services.database)
    services.chats.save(OWN, "one more")


def evict_messages(services: Services) -> None:
    services.settings.attach(services.database)
    services.chats.load(OWN, named(services))
    services.conversation.append(OWN, say("one more"))


def compact(services: Services) -> None:
    services.conversation.clear(OWN)
    last = plain(services.chats.get(OWN, named(services), "none")[2])[-1]["id"]
    services.checkpoints.compact(OWN, named(services), "S.", first_kept=last)


def restore_a_checkpoint(services: Services) -> None:
    chat_id = named(services)
    ((checkpoint, _),) = services.checkpoints.all(OWN, chat_id)
    services.checkpoints.restore(OWN, chat_id, checkpoint.id)


def edit(services: Services) -> None:
    services.conversation.truncate(OWN, live_messages(services)[0]["id"], inclusive=True)


OPERATIONS: list[Callable[[Services], None]] = [
    delete,
    delete_for_good,
    evict_a_chat,
    evict_messages,
    compact,
    restore_a_checkpoint,
    edit,
]


def state(home: Path) -> dict[str, Any]:
    """What a person would find: chats, messages, archives, checkpoints; ids and times left out."""
    with open_services(home) as services, services.database.reading() as tx:
        assert tx.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert tx.execute("PRAGMA foreign_key_check").fetchall() == []
        assert list(search_index.complaints(tx)) == []
        return {
            table: sorted(map(str, tx.execute(query).fetchall()))
            for table, query in {
                "chats": "SELECT entry_json ->> 'name', json_array_length(entry_json -> 'compactionCheckpoints'), "
                "entry_json ->> 'listed', (SELECT count(*) FROM transcript_events AS event "
                "WHERE event.session_id = entry.session_id) FROM session_entries AS entry WHERE kind = 'chat'",
                "live": "SELECT entry_json ->> 'chatId' <> '', (SELECT count(*) FROM transcript_events AS event "
                "WHERE event.session_id = entry.session_id) FROM session_entries AS entry WHERE kind = 'live'",
                "archives": "SELECT name, reason, evicted, part, messages FROM archives",
                "evictions": "SELECT chats, messages FROM evictions",
                "messages": "SELECT count(*) FROM messages WHERE message_pk IN (SELECT message_pk FROM transcript_events)",
                "orphans": "SELECT session_id FROM sessions WHERE session_id NOT IN (SELECT session_id FROM entry_families)",
                "traces": "SELECT name FROM meta WHERE name = 'traces'",
            }.items()
        }


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
def test_the_old_state_or_the_new_one(tmp_path: Path, operation: Callable[[Services], None]) -> None:
    prepare(tmp_path / "before")
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    with open_services(tmp_path / "after") as services:
        operation(services)
    steps = _states_of_its_transactions(tmp_path, operation)
    old, new = state(tmp_path / "before"), state(tmp_path / "after")
    assert old != new
    assert old["orphans"] == new["orphans"] == []
    found: list[dict[str, Any]] = []
    statements = cut_at_every_statement(tmp_path, prepare, operation, lambda home: found.append(state(home)))
    assert statements > 20
    assert all(each in (old, new, *steps) for each in found)
    assert found[0] == old
    assert found[-1] == new


def _states_of_its_transactions(tmp_path: Path, operation: Callable[[Services], None]) -> list[dict[str, Any]]:
    """Some operations of this test are two calls: what is there after the first."""
    if operation not in (evict_messages, compact):
        return []
    home = tmp_path / "half way"
    shutil.copytree(tmp_path / "before", home)
    with open_services(home) as services:
        if operation is compact:
            services.conversation.clear(OWN)
        else:
            services.chats.load(OWN, named(services))
    return [state(home)]


def test_a_store_of_any_older_version_is_brought_up_to_date_or_left_as_it_was(tmp_path: Path) -> None:
    """Each migration runs whole or not at all, wherever the process is killed."""
    whole = _migrated(tmp_path / "whole")
    for stop_at in range(0, 400, 7):
        home = tmp_path / f"cut at {stop_at}"
        if not _migration_killed(home, stop_at):
            assert stop_at > 7
            break
        connection = apsw.Connection(str(paths.database(home)))
        assert connection.pragma("user_version") in (0, len(STEPS))
        connection.close()
        assert _migrated(home) == whole


def _migrated(home: Path) -> list[Any]:
    home.mkdir(exist_ok=True)
    database = Database(paths.database(home))
    with database.reading() as tx:
        found: list[Any] = tx.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
    database.close()
    return found


def _migration_killed(home: Path, stop_at: int) -> bool:
    """Open a new store in a child that is killed at that statement of its migrations. False where it ran through."""
    home.mkdir()
    pid = os.fork()
    if pid == 0:
        count = 0

        def trace(_cursor: Any, _sql: str, _bindings: object) -> bool:
            nonlocal count
            count += 1
            if count > stop_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return True

        opened = Database._configure

        def configure(self: Database, connection: apsw.Connection) -> None:
            opened(self, connection)
            connection.exec_trace = trace

        Database._configure = configure  # type: ignore[method-assign]  # in the child alone
        try:
            Database(paths.database(home))
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])
