"""Another file in the store's place: by a person, or because the store is damaged; whatever cuts it off."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from sidekeep import paths
from sidekeep.errors import StoreBusy, StoreDamaged, StoreFailed
from sidekeep.store import copying, migrations, recovery, replacing
from sidekeep.store.backups import Backups, Plan
from sidekeep.store.migrations import STEPS
from sidekeep.store.opening import StoreFile, opened
from sidekeep.store.record import Record

NOON_MS = 1_784_808_000_000
DAY_MS = 86_400_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def file(home: Path) -> Path:
    return paths.database(home)


def _write(home: Path, *names: str) -> None:
    with opened(home, role="test") as database, database.transaction() as tx:
        for name in names:
            tx.execute("INSERT INTO meta VALUES (?, zeroblob(20000))", (name,))


def _back_up(home: Path, at_ms: int) -> Path:
    with opened(home, role="test") as database:
        return Backups(home).make(database, Plan(), now_ms=at_ms).backup.path


def _names(store: Path) -> set[str]:
    with copying.opened(store) as connection:
        return {str(name) for (name,) in connection.execute("SELECT name FROM meta")} - {"store_id", "grams_until"}


def _open_and_read(home: Path) -> set[str]:
    store = StoreFile(home)
    database = store.open()
    with database.reading() as tx:
        found = {str(name) for (name,) in tx.execute("SELECT name FROM meta")} - {"store_id", "grams_until"}
    database.close()
    store.leave()
    return found


def _garble(file: Path, *, start: int = 0) -> bytes:
    """The file's bytes from `start` on become something else. Returns what is in it then.

    What the WAL holds, SQLite would still read from there: it is folded in first.
    """
    if file.with_name(file.name + "-wal").exists() and not start:
        _fold(file)
    content = bytearray(file.read_bytes())
    content[start:] = os.urandom(len(content) - start)
    file.write_bytes(content)
    return bytes(content)


def _fold(file: Path) -> None:
    connection = apsw.Connection(str(file))
    connection.pragma("journal_mode", "wal")  # before its first read a connection does not know that there is a WAL
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()


def _kept(home: Path, why: str) -> list[Path]:
    return sorted(path for path in home.glob(f"sidekeep.sqlite3.{why}-*") if not path.name.endswith("-wal"))


@contextmanager
def _another_program(file: Path) -> Iterator[None]:
    """A database browser, say: it has the store open through SQLite and knows nothing of Sidekeep."""
    code = (
        "import apsw, sys; c = apsw.Connection(sys.argv[1]); c.execute('SELECT * FROM meta').fetchall();"
        "print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        yield
        process.communicate(timeout=10)


def test_a_restore_keeps_what_it_replaces_as_one_file(home: Path, file: Path) -> None:
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    _write(home, "new")
    kept = recovery.restore(StoreFile(home), backup)
    assert kept is not None
    assert _names(file) == {"old"}
    assert kept.name.startswith("sidekeep.sqlite3.replaced-")
    assert _names(kept) == {"old", "new"}
    assert _kept(home, "replaced") == [kept]
    assert not kept.with_name(kept.name + "-wal").exists()
    assert backup.exists()


def test_what_was_replaced_can_come_back(home: Path) -> None:
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    _write(home, "new")
    kept = recovery.restore(StoreFile(home), backup)
    assert kept is not None
    recovery.restore(StoreFile(home), kept)
    assert _open_and_read(home) == {"old", "new"}


def test_a_restore_without_a_store_makes_one(home: Path, file: Path) -> None:
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    for path in home.glob("sidekeep.sqlite3*"):
        path.unlink()
    assert recovery.restore(StoreFile(home), backup) is None
    assert _open_and_read(home) == {"old"}


def test_a_backup_of_an_older_version_is_migrated_when_it_is_opened(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = STEPS
    monkeypatch.setattr(migrations, "STEPS", steps[:1])
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    monkeypatch.undo()
    recovery.restore(StoreFile(home), backup)
    with opened(home, role="test") as database:
        assert database.connection().pragma("user_version") == len(steps)
    assert _open_and_read(home) == {"old"}


def test_an_open_store_is_not_replaced_and_it_is_said_who_has_it(home: Path, file: Path) -> None:
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    before = file.read_bytes()
    with opened(home, role="host"), pytest.raises(StoreBusy) as refused:
        recovery.restore(StoreFile(home), backup)
    assert f"process {os.getpid()}" in refused.value.message
    assert f"process number {os.getppid()}" in refused.value.message
    assert file.read_bytes() == before
    recovery.restore(StoreFile(home), backup)


def test_a_store_that_another_program_has_open_is_not_replaced(home: Path, file: Path) -> None:
    """On its close that program would take away the WAL by its name: the new store's."""
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    _write(home, "new")
    with _another_program(file), pytest.raises(StoreBusy, match="Another program"):
        recovery.restore(StoreFile(home), backup)
    assert _open_and_read(home) == {"old", "new"}
    assert _kept(home, "replaced") == []


def test_a_damaged_store_that_another_program_has_open_is_not_replaced(home: Path, file: Path) -> None:
    _write(home, "old")
    _back_up(home, NOON_MS)
    _fold(file)
    with _another_program(file):
        content = _garble(file)
        with pytest.raises(StoreBusy, match="Another program"):
            StoreFile(home).open()
        assert file.read_bytes() == content
    assert _open_and_read(home) == {"old"}


def test_a_damaged_backup_is_not_restored(home: Path, file: Path) -> None:
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    _garble(backup, start=20_000)
    with pytest.raises(StoreDamaged):
        recovery.restore(StoreFile(home), backup)
    assert _open_and_read(home) == {"old"}
    assert not list(home.glob("*.unfinished"))


@pytest.mark.parametrize("damage", ["garbage", "cut short", "cut to nothing", "gone but for its WAL"])
def test_a_damaged_store_is_replaced_by_the_newest_good_backup_and_kept(home: Path, file: Path, damage: str) -> None:
    _write(home, "old")
    _back_up(home, NOON_MS)
    _write(home, "newer")
    _back_up(home, NOON_MS + DAY_MS)
    _garble(_back_up(home, NOON_MS + 2 * DAY_MS), start=30_000)
    _fold(file)
    _write(home, "newest")
    wal = file.with_name(file.name + "-wal")
    wal_content = wal.read_bytes()
    assert wal_content
    StoreFile(home).mark()  # the WAL has a sound first page: that the others are not is noticed by whoever reads them
    if damage == "garbage":
        content = os.urandom(file.stat().st_size)
        file.write_bytes(content)
    elif damage == "gone but for its WAL":
        file.unlink()
    else:
        content = b"" if damage == "cut to nothing" else file.read_bytes()[:1000]
        file.write_bytes(content)
    assert _open_and_read(home) == {"old", "newer"}
    if damage == "gone but for its WAL":
        (kept_wal,) = home.glob("sidekeep.sqlite3.damaged-*-wal")
    else:
        (kept,) = _kept(home, "damaged")
        assert kept.read_bytes() == content
        kept_wal = kept.with_name(kept.name + "-wal")
    assert kept_wal.read_bytes() == wal_content, "what the WAL held is not lost either"
    (entry,) = Record(home).entries()
    assert entry.subject == "store"
    assert "2026-07-24 12:00 UTC" in entry.message
    assert "damaged-" in entry.message


@pytest.mark.parametrize("damage", ["garbage", "cut to nothing"])
def test_without_a_good_backup_a_damaged_store_is_refused_and_left(home: Path, file: Path, damage: str) -> None:
    _write(home, "old")
    _garble(_back_up(home, NOON_MS), start=5000)
    content = _garble(file) if damage == "garbage" else b""
    file.write_bytes(content)
    wal = file.with_name(file.name + "-wal")
    wal_content = wal.read_bytes() if wal.exists() else None
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="no good backup"):
            StoreFile(home).open()
        assert file.read_bytes() == content
        assert (wal.read_bytes() if wal.exists() else None) == wal_content
    assert [entry.subject for entry in Record(home).entries()] == ["damaged"]
    assert _kept(home, "damaged") == []


def test_a_new_backup_ends_the_refusal(home: Path, file: Path, tmp_path: Path) -> None:
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    elsewhere = backup.rename(tmp_path / backup.name)
    _fold(file)
    _garble(file)
    with pytest.raises(StoreDamaged):
        StoreFile(home).open()
    recovery.restore(StoreFile(home), elsewhere)
    assert _open_and_read(home) == {"old"}
    assert Record(home).entries() == []


def test_a_store_that_was_taken_away_begins_anew_and_the_backups_are_pointed_to(home: Path) -> None:
    _write(home, "old")
    _back_up(home, NOON_MS)
    for path in home.glob("sidekeep.sqlite3*"):
        path.unlink()
    assert _open_and_read(home) == set()
    (entry,) = Record(home).entries()
    assert "sidekeep backup list" in entry.message


def test_a_first_start_that_was_killed_is_no_damage(home: Path, file: Path) -> None:
    paths.ensure_private(home)
    file.touch()
    assert _open_and_read(home) == set()
    assert Record(home).entries() == []


def test_a_mark_on_a_sound_store_is_looked_into_and_taken_away(home: Path) -> None:
    _write(home, "old")
    _back_up(home, NOON_MS)
    _write(home, "new")
    StoreFile(home).mark()
    assert _open_and_read(home) == {"old", "new"}
    assert not StoreFile(home).is_marked
    assert _kept(home, "damaged") == []


def test_a_process_that_does_not_let_go_is_named(home: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "LET_GO_TIMEOUT_S", 0.1)
    _write(home, "old")
    _back_up(home, NOON_MS)
    with opened(home, role="host"):
        content = _garble(file)
        with pytest.raises(StoreBusy, match=f"process {os.getpid()}"):
            StoreFile(home).open()
        assert file.read_bytes() == content
    assert _open_and_read(home) == {"old"}


def test_a_file_system_without_second_names_gets_copies(
    home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(home, "old")
    _back_up(home, NOON_MS)
    content = _garble(file)

    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    assert _open_and_read(home) == {"old"}
    (kept,) = _kept(home, "damaged")
    assert kept.read_bytes() == content


def test_a_rename_that_fails_leaves_the_store_and_says_so(
    home: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(home, "old")
    backup = _back_up(home, NOON_MS)
    _write(home, "new")

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StoreFailed, match="Read-only file system"):
        recovery.restore(StoreFile(home), backup)
    monkeypatch.undo()
    assert _open_and_read(home) == {"old", "new"}


class _Killed(BaseException):
    """Stands for SIGKILL: nothing after it runs but what the operating system does."""


DEADLY = ("link", "unlink", "rename", "replace", "fsync")


def _kill_before_step(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the process dies before its `number`th change of a name or a folder in the data home."""
    left = [number]

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def step(*args: object, **options: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise _Killed
            return real(*args, **options)

        return step

    for name in DEADLY:
        monkeypatch.setattr(os, name, dying(getattr(os, name)))


@pytest.mark.parametrize("kind", ["restored", "damaged"])
def test_killed_before_any_step_the_old_store_or_the_new_one_is_there_whole(
    home: Path, file: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every step in turn; `finally` blocks die with the process as well, because each further step dies too."""
    outcomes = []
    for number in range(60):
        for path in home.glob("*sqlite3*"):
            path.unlink()
        (paths.locks(home) / "damaged").unlink(missing_ok=True)
        for left in home.glob("backups/*"):
            left.unlink()
        _write(home, "old")
        backup = _back_up(home, NOON_MS)
        _write(home, "new")
        if kind == "damaged":
            _fold(file)
            _garble(file)
        inodes = {path.stat().st_ino for path in home.glob("sidekeep.sqlite3*")}
        content = file.read_bytes()
        finished = True
        with monkeypatch.context() as patch:
            _kill_before_step(number, patch)
            try:
                if kind == "restored":
                    recovery.restore(StoreFile(home), backup)
                else:
                    recovery.recover(StoreFile(home))
            except _Killed:
                finished = False
        found = _open_and_read(home)
        assert not replacing.incoming(file).exists(), "what was begun is finished by the next"
        assert found in ([{"old"}, {"old", "new"}] if kind == "restored" else [{"old"}]), f"killed at step {number}"
        if found == {"old"}:
            kept = _kept(home, "replaced" if kind == "restored" else "damaged")
            assert len(kept) == 1, f"killed at step {number}"
            assert kept[0].stat().st_ino in inodes
            if kind == "damaged":
                assert kept[0].read_bytes() == content
            else:
                assert _names(kept[0]) == {"old", "new"}
        with copying.opened(file) as connection:
            assert connection.pragma("integrity_check") == "ok"
        outcomes.append(found == {"old"})
        if finished:
            break
    assert finished
    assert number > 8, "there were steps to die at"
    if kind == "restored":
        assert outcomes == sorted(outcomes), "once it is the new one it stays"
        assert len(set(outcomes)) == 2
