"""The SQLite file: migrations, transactions, what its errors mean."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from sidekeep.domain.chat import NO_SESSION, Chat, ChatId, Measure
from sidekeep.domain.message import MessageId, NewMessage
from sidekeep.errors import StoreBusy, StoreFailed
from sidekeep.store import entries, facts, migrations, transcripts
from sidekeep.store.database import Database
from sidekeep.store.migrations import STEPS

Open = Callable[[], Database]


def _schema(path: Path) -> list[tuple[str, str]]:
    connection = apsw.Connection(str(path))
    found: list[tuple[str, str]] = list(connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name"))
    connection.close()
    return found


def test_opening_again_changes_nothing(path: Path, open_database: Open) -> None:
    first = open_database()
    with first.reading() as tx:
        store_id = facts.store_id(tx)
    schema = _schema(path)
    second = open_database()
    with second.reading() as tx:
        assert facts.store_id(tx) == store_id
        assert tx.pragma("user_version") == len(STEPS)
    assert _schema(path) == schema


def test_two_hosts_may_open_a_new_store_at_the_same_moment(path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: Database(path), range(8)))
    ids = set()
    for database in opened:
        with database.reading() as tx:
            ids.add(facts.store_id(tx))
        database.close()
    assert len(ids) == 1


def test_chats_of_a_store_from_before_get_their_sizes(database: Database) -> None:
    body = b'{"role":"user","content":"a"}'
    with database.transaction() as tx:
        session_id = transcripts.create(tx, 1)
        transcripts.append(tx, session_id, NewMessage(MessageId("m"), "user", 1, None, 700, len(body), body))
        for chat_id, names in (("with", session_id), ("without", NO_SESSION)):
            entries.put_chat(tx, "sidekeep", Chat(ChatId(chat_id), names, "A", 1, 1, measure=Measure(1, 2, 3, 4)))
        tx.execute("UPDATE session_entries SET entry_json = json_remove(entry_json, '$.measure[4]')")
        dict(STEPS)["sizes of chats"](tx)
        found = {chat.id: chat.measure for chat in entries.chats(tx, "sidekeep")}
    assert found == {"with": Measure(1, 2, 3, 4, 700), "without": Measure(1, 2, 3, 4, 0)}


def test_a_migration_that_fails_leaves_the_store_as_it_was(
    path: Path, open_database: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_database()
    schema = _schema(path)

    def fails(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE half (a)")
        raise RuntimeError("in the middle")

    monkeypatch.setattr(migrations, "STEPS", (*STEPS, ("one that fails", fails)))
    with pytest.raises(RuntimeError):
        open_database()
    assert _schema(path) == schema
    monkeypatch.undo()
    open_database()


def test_a_store_from_the_future_is_refused_and_unchanged(path: Path, open_database: Open) -> None:
    open_database().close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", len(STEPS) + 1)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match="newer Sidekeep"):
        open_database()
    assert path.read_bytes() == before


def test_the_file_is_its_owners_alone(path: Path, database: Database) -> None:
    with database.transaction() as tx:
        tx.execute("CREATE TABLE t (a)")
    files = [path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(apsw.SQLError), database.transaction() as tx:
        tx.execute("INSERT INTO meta VALUES ('a', 'b'); INSERT INTO nothing VALUES (1)")
    with database.reading() as tx:
        assert tx.execute("SELECT * FROM meta WHERE name = 'a'").fetchall() == []
    with database.transaction() as tx:  # and the connection is usable
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")


def test_reading_sees_one_moment(open_database: Open) -> None:
    reader, writer = open_database(), open_database()
    with reader.reading() as tx:
        before = tx.execute("SELECT count(*) FROM meta").fetchall()
        with writer.transaction() as other:
            other.execute("INSERT INTO meta VALUES ('a', 'b')")
        assert tx.execute("SELECT count(*) FROM meta").fetchall() == before
    with reader.reading() as tx:
        assert tx.execute("SELECT count(*) FROM meta").fetchall() != before


def test_reading_cannot_be_left_open_by_an_error(database: Database) -> None:
    with pytest.raises(apsw.SQLError), database.reading() as tx:
        tx.execute("SELECT * FROM nothing")
    assert not database.connection().in_transaction


def test_a_store_that_is_held_is_busy_at_once_for_a_thread_that_never_waits(open_database: Open) -> None:
    holder, other = open_database(), open_database()
    other.never_wait()
    with holder.transaction():
        with pytest.raises(StoreBusy), other.transaction():
            pass
        with other.reading() as tx:
            assert tx.execute("SELECT 1").fetchall() == [(1,)], "readers are never kept waiting"
    with other.transaction():
        pass


def test_a_thread_can_begin_to_read_while_another_program_writes(path: Path, database: Database) -> None:
    writer = apsw.Connection(str(path))
    writer.execute("BEGIN IMMEDIATE")

    def first_use() -> str:
        database.never_wait()
        with database.reading() as tx:
            return facts.store_id(tx)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(first_use).result(20)
    writer.close()


def test_a_thread_that_waits_gets_its_turn(open_database: Open) -> None:
    holder, other = open_database(), open_database()
    asked = threading.Event()
    done = threading.Event()

    def write() -> None:
        asked.set()
        with other.transaction() as tx:
            tx.execute("INSERT INTO meta VALUES ('a', 'b')")
        done.set()

    with holder.transaction():
        thread = threading.Thread(target=write)
        thread.start()
        asked.wait(5)
        assert not done.is_set()
    thread.join(10)
    assert done.is_set()


@pytest.mark.parametrize("damage", ["no database", "a broken page"])
def test_a_damaged_store_is_refused_with_what_to_do(path: Path, open_database: Open, damage: str) -> None:
    if damage == "no database":
        path.write_bytes(b"not a database at all" * 500)
    else:
        database = open_database()
        with database.transaction() as tx:
            tx.execute("CREATE TABLE t (a)")
            tx.execute("INSERT INTO t VALUES (randomblob(50000))")
        database.connection().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        database.close()
        content = bytearray(path.read_bytes())
        content[100:4096] = b"\xff" * 3996
        path.write_bytes(content)
    with pytest.raises(StoreFailed, match="restore a backup"), open_database().reading() as tx:
        tx.execute("SELECT * FROM t")


def test_a_folder_in_the_stores_place_is_refused(path: Path, open_database: Open) -> None:
    path.mkdir()
    with pytest.raises(StoreFailed):
        open_database()


def test_a_full_store_says_so(database: Database) -> None:
    connection = database.connection()
    connection.pragma("max_page_count", connection.pragma("page_count") + 10)
    with pytest.raises(StoreFailed, match="disk is full"), database.transaction() as tx:
        tx.execute("CREATE TABLE t (a); INSERT INTO t VALUES (randomblob(1000000))")
    with database.transaction() as tx:
        tx.execute("CREATE TABLE t (a)")


def test_a_store_that_is_read_only_says_so(database: Database) -> None:
    database.connection().pragma("query_only", True)
    with pytest.raises(StoreFailed, match="read-only"), database.transaction() as tx:
        tx.execute("CREATE TABLE t (a)")


def test_a_mistyped_column_is_an_error_and_no_string(database: Database) -> None:
    with pytest.raises(apsw.SQLError), database.reading() as tx:
        tx.execute('SELECT * FROM meta WHERE "nmae" = 1')


def test_references_are_checked(database: Database) -> None:
    with pytest.raises(apsw.ConstraintError), database.transaction() as tx:
        tx.execute("INSERT INTO transcript_events VALUES ('nobody', 0, 1)")


def test_the_memory_store_is_shared_by_threads_and_gone_with_the_last() -> None:
    database = Database(None)
    with database.transaction() as tx:
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")
    seen: list[object] = []

    def look() -> None:
        with database.reading() as tx:
            seen.extend(tx.execute("SELECT value FROM meta WHERE name = 'a'").fetchall())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join(5)
    assert seen == [("b",)]
    assert database.engine == "memory"
    database.close()
    with Database(None).reading() as tx:
        assert tx.execute("SELECT value FROM meta WHERE name = 'a'").fetchall() == []


def test_pages_that_are_freed_can_be_given_back(database: Database) -> None:
    assert database.connection().pragma("auto_vacuum") == 2, "INCREMENTAL can only be chosen before the first table"


def test_the_sqlite_in_use_resets_a_wal_safely() -> None:
    """Before 3.51.3 two connections that reset a WAL at once can corrupt it."""
    version = tuple(int(step) for step in facts.sqlite_version().split("."))
    assert version >= (3, 51, 3)


def test_a_thread_that_comes_after_the_file_was_removed_makes_no_new_one(tmp_path: Path) -> None:
    path = tmp_path / "sidekeep.sqlite3"
    database = Database(path)
    for name in tmp_path.iterdir():
        name.unlink()
    with ThreadPoolExecutor(1) as another:
        read = another.submit(_read_nothing, database)
        with pytest.raises(StoreFailed, match="was removed"):
            read.result(10)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreFailed, match="was removed"), database.transaction():
        raise AssertionError("nothing is written")
    database.close()


def _read_nothing(database: Database) -> None:
    with database.reading():
        raise AssertionError("nothing is read")


def test_a_threads_connection_can_be_closed_and_its_next_use_opens_another(open_database: Open) -> None:
    database = open_database()
    before = database.connection()
    database.close_here()
    database.close_here()  # a second time there is none
    with database.transaction() as tx:
        assert tx is not before
        tx.execute("INSERT INTO meta VALUES ('after', '1')")


def test_a_store_in_memory_keeps_its_connections_for_it_would_be_gone_without_any() -> None:
    database = Database(None)
    with database.transaction() as tx:
        tx.execute("INSERT INTO meta VALUES ('kept', '1')")
    database.close_here()
    with database.reading() as tx:
        assert tx.execute("SELECT value FROM meta WHERE name = 'kept'").fetchall() == [("1",)]
    database.close()


def test_a_database_that_let_go_waits_for_its_users_and_they_for_it(open_database: Open) -> None:
    database = open_database()
    with database.reading(), pytest.raises(StoreBusy), database.let_go(0.05):
        pass
    with database.let_go(1), database.reading() as tx:
        assert tx.execute("SELECT 1").fetchall() == [(1,)], "the one that holds it may use it"
