"""Backups of real stores: made while others write, checked, named, pruned."""

import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import filelock
import pytest

from sidekeep import paths
from sidekeep.errors import Cancelled, NotFound, StoreBusy, StoreDamaged, StoreFailed
from sidekeep.store import copying
from sidekeep.store.backups import UNFINISHED, Backups, Plan
from sidekeep.store.database import Database

Open = Callable[[], Database]
Log = Callable[[], str]
DAY_MS = 86_400_000
NOON_MS = 1_784_808_000_000
PLAN = Plan(daily=2, weekly=1)


@pytest.fixture
def home(path: Path) -> Path:
    return path.parent


@pytest.fixture
def backups(home: Path) -> Backups:
    return Backups(home)


def _write(database: Database, name: str, size: int = 10) -> None:
    with database.transaction() as tx:
        tx.execute("INSERT INTO meta VALUES (?, ?)", (name, "x" * size))


def _names(backup: Path) -> set[str]:
    with copying.opened(backup) as connection:
        return {str(name) for (name,) in connection.execute("SELECT name FROM meta")} - {"store_id", "grams_until"}


def _garble(file: Path, *, start: int = 4096) -> None:
    content = bytearray(file.read_bytes())
    content[start:] = b"\xa5" * (len(content) - start)
    file.write_bytes(content)


def test_a_backup_holds_what_was_committed_also_in_the_wal(database: Database, backups: Backups) -> None:
    _write(database, "a")
    made = backups.make(database, PLAN, now_ms=NOON_MS)
    assert made.backup.name == "sidekeep-20260723T120000Z.sqlite3"
    assert _names(made.backup.path) == {"a"}
    assert made.counts == copying.check(made.backup.path)
    assert made.counts["meta"] == 3


def test_a_backup_is_one_file_and_its_owners_alone(database: Database, backups: Backups) -> None:
    backup = backups.make(database, PLAN, now_ms=NOON_MS).backup
    copying.check(backup.path)
    assert [file.name for file in backups.folder.iterdir()] == [backup.name], "reading it leaves nothing beside it"
    assert backup.path.stat().st_mode & 0o777 == 0o600
    assert backups.folder.stat().st_mode & 0o777 == 0o700


def test_others_write_meanwhile_and_the_backup_shows_the_moment_of_its_start(
    open_database: Open, backups: Backups
) -> None:
    database, other = open_database(), open_database()
    _write(database, "before", size=30_000_000)
    steps = 0

    def write_between_steps() -> bool:
        nonlocal steps
        steps += 1
        assert steps < 50, "each write starts the copy anew"
        _write(other, f"meanwhile {steps}", size=100_000)
        return True

    made = backups.make(database, PLAN, now_ms=NOON_MS, keep_on=write_between_steps)
    assert steps > 3
    assert _names(made.backup.path) == {"before"}


def test_a_backup_that_is_given_up_leaves_nothing(database: Database, backups: Backups) -> None:
    _write(database, "large", size=10_000_000)
    answers = iter([True, False])
    with pytest.raises(Cancelled):
        backups.make(database, PLAN, now_ms=NOON_MS, keep_on=lambda: next(answers))
    assert list(backups.folder.iterdir()) == []
    _write(database, "and the store is free")


def test_what_a_killed_process_left_goes(database: Database, backups: Backups) -> None:
    paths.ensure_private(backups.folder)
    (backups.folder / UNFINISHED).write_bytes(b"half")
    made = backups.make(database, PLAN, now_ms=NOON_MS)
    assert list(backups.folder.iterdir()) == [made.backup.path]


def test_the_damage_of_a_store_does_not_become_a_backup(
    database: Database, open_database: Open, backups: Backups
) -> None:
    _write(database, "large", size=400_000)
    database.connection().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    database.close()
    assert database.path is not None
    _garble(database.path, start=400_000)
    damaged = open_database()
    with pytest.raises(StoreDamaged):
        backups.make(damaged, PLAN, now_ms=NOON_MS)
    assert backups.all() == []
    assert damaged.damage.is_set(), "whoever looks after the store learns of it"


def test_a_copy_that_differs_from_its_store_is_thrown_away(
    database: Database, backups: Backups, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = copying.check
    monkeypatch.setattr(copying, "check", lambda path: checked(path) | {"messages": 7})
    with pytest.raises(StoreDamaged, match="thrown away"):
        backups.make(database, PLAN, now_ms=NOON_MS)
    assert list(backups.folder.iterdir()) == []


def test_a_disk_without_room_is_not_filled(
    database: Database, backups: Backups, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "RESERVE_BYTES", 2**60)
    with pytest.raises(StoreFailed, match="too full"):
        backups.make(database, PLAN, now_ms=NOON_MS)
    assert list(backups.folder.iterdir()) == []


def test_pruning_says_what_it_removed(database: Database, backups: Backups, log: Log) -> None:
    made = [backups.make(database, PLAN, now_ms=NOON_MS + day * DAY_MS) for day in range(-5, 5)]
    kept = {backup.name: backup.kept_for for backup in backups.all(PLAN)}
    monday, sunday, sunday_before = (made[number].backup.name for number in (9, 8, 1))
    assert kept == {monday: "day", sunday: "day", sunday_before: "week"}
    assert [backup.name for backup in made[9].removed] == [made[7].backup.name]
    assert f"backup removed: {made[7].backup.name}" in log()


def test_what_is_no_backup_is_left_alone(database: Database, backups: Backups) -> None:
    paths.ensure_private(backups.folder)
    (backups.folder / "notes.txt").write_text("mine", "utf-8")
    for day in range(5):
        backups.make(database, PLAN, now_ms=NOON_MS + day * DAY_MS)
    assert (backups.folder / "notes.txt").read_text("utf-8") == "mine"


def test_one_made_now_is_kept_whatever_the_clock_said_before(database: Database, backups: Backups) -> None:
    plan = Plan(daily=2, weekly=0)
    for day in range(3):
        backups.make(database, plan, now_ms=NOON_MS + (400 + day) * DAY_MS)
    made = backups.make(database, plan, now_ms=NOON_MS)
    assert made.backup.path.exists()


def test_two_within_a_second_are_two(database: Database, backups: Backups) -> None:
    first = backups.make(database, PLAN, now_ms=NOON_MS).backup
    second = backups.make(database, PLAN, now_ms=NOON_MS + 1).backup
    assert second.at_ms == first.at_ms + 1000
    assert second.path.exists()


def test_one_process_at_a_time(home: Path, database: Database, backups: Backups) -> None:
    with filelock.FileLock(paths.ensure_private(paths.locks(home)) / "backup.lock"), pytest.raises(StoreBusy):
        backups.make(database, PLAN, now_ms=NOON_MS)
    backups.make(database, PLAN, now_ms=NOON_MS)


def test_a_day_has_one_from_whichever_process(open_database: Open, home: Path) -> None:
    """Both see that one is due; the second finds under the lock that it was made."""
    hosts = [(open_database(), Backups(home)) for _ in range(4)]
    made = []

    def work(database: Database, backups: Backups) -> None:
        while True:
            try:
                made.append(backups.make_if_due(database, PLAN, now_ms=NOON_MS, keep_on=lambda: True))
            except StoreBusy:
                continue
            return

    threads = [threading.Thread(target=work, args=host) for host in hosts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(made) == 4
    assert len([one for one in made if one is not None]) == 1
    assert len(hosts[0][1].all()) == 1


@pytest.mark.parametrize(("hours", "due"), [(0, False), (11, False), (12, True), (24, True), (-13, True)])
def test_the_next_is_due_on_another_utc_day(database: Database, backups: Backups, hours: int, due: bool) -> None:
    assert backups.is_due(NOON_MS)
    backups.make(database, PLAN, now_ms=NOON_MS)
    assert backups.is_due(NOON_MS + hours * 3_600_000) is due


def test_backups_are_found_by_name(database: Database, backups: Backups) -> None:
    older = backups.make(database, PLAN, now_ms=NOON_MS).backup
    newer = backups.make(database, PLAN, now_ms=NOON_MS + DAY_MS).backup
    assert backups.find(older.name).path == older.path
    assert backups.find("sidekeep-20260723T120000Z").path == older.path
    assert backups.find("newest").path == newer.path
    with pytest.raises(NotFound, match="backup list"):
        backups.find("sidekeep-20200101T000000Z.sqlite3")


@pytest.mark.parametrize("damage", ["a broken page", "cut short", "no database", "empty", "from the future"])
def test_a_backup_that_is_not_sound_is_told(database: Database, backups: Backups, damage: str) -> None:
    _write(database, "large", size=400_000)
    path = backups.make(database, PLAN, now_ms=NOON_MS).backup.path
    copying.check(path)
    if damage == "a broken page":
        _garble(path, start=path.stat().st_size - 8192)
    elif damage == "cut short":
        path.write_bytes(path.read_bytes()[:100_000])
    elif damage == "no database":
        path.write_bytes(b"somebody's diary" * 1000)
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        connection = apsw.Connection(str(path))
        connection.pragma("user_version", 9999)
        connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match=path.name):
        copying.check(path)
    assert path.read_bytes() == before
