"""When the day's backup is made, and what happens where it cannot be."""

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import orjson
import pytest
from tests.support.stores import OWN

from sidekeep import paths
from sidekeep.errors import StoreFailed
from sidekeep.service.notices import Notices
from sidekeep.service.upkeep import (
    OVERDUE_MS,
    QUIET_S,
    QUIET_WHEN_OVERDUE_S,
    RETRY_BACKUP_MS,
    Upkeep,
)
from sidekeep.service.writing import Writes
from sidekeep.settings.model import Settings
from sidekeep.store import area, changes, copying, recovery
from sidekeep.store.backups import Backups, Plan
from sidekeep.store.opening import StoreFile

NOON_MS = 1_784_808_000_000
DAY_MS = 86_400_000


class Bench:
    """An upkeep over a real store, whose clock and quiet the test sets."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.now_ms = NOON_MS
        self.quiet_s = QUIET_S
        self.up_s = 0.0
        self.settings = Settings()
        self.store = StoreFile(home)
        self.database = self.store.open()
        self.notices = Notices()
        self.replaced = 0
        self.backups = Backups(home)
        self.upkeep = self.another()

    def another(self) -> Upkeep:
        """As another process has one."""
        return Upkeep(
            self.store,
            self.database,
            self.notices,
            settings=lambda: self.settings,
            quiet_s=lambda: self.quiet_s,
            replaced=self._count,
            clock=lambda: self.now_ms,
            monotonic=lambda: self.up_s,
        )

    def _count(self) -> None:
        self.replaced += 1

    def told(self) -> list[str]:
        return [notice.kind for notice in self.notices.all()]

    def write(self, name: str) -> None:
        with self.database.transaction() as tx:
            tx.execute("INSERT INTO meta VALUES (?, zeroblob(100000))", (name,))

    def names(self) -> set[str]:
        with self.database.reading() as tx:
            return {str(name) for (name,) in tx.execute("SELECT name FROM meta")} - {"store_id", "grams_until"}

    def garble(self) -> None:
        """Break the file under the running host, as a disk does: its header stays, the rest goes."""
        self.database.connection().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        file = paths.database(self.home)
        content = bytearray(file.read_bytes())
        content[4096:] = b"\xa5" * (len(content) - 4096)
        self.database.close()  # what it had read it would go on believing
        file.write_bytes(content)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "home")
    yield bench
    bench.database.close()


def test_each_day_gets_one_backup(bench: Bench) -> None:
    for hour in range(72):
        bench.now_ms = NOON_MS + hour * 3_600_000
        bench.upkeep.look()
    assert len(bench.backups.all()) == 4, "three days from noon to noon touch four UTC days"


def test_a_backup_waits_until_it_is_quiet(bench: Bench) -> None:
    bench.quiet_s = QUIET_S - 1
    bench.upkeep.look()
    assert bench.backups.all() == []
    bench.quiet_s = QUIET_S
    bench.upkeep.look()
    assert len(bench.backups.all()) == 1


def test_who_never_pauses_for_long_gets_one_after_some_days(bench: Bench) -> None:
    bench.upkeep.look()
    bench.quiet_s = QUIET_WHEN_OVERDUE_S
    bench.now_ms = NOON_MS + OVERDUE_MS
    bench.upkeep.look()
    assert len(bench.backups.all()) == 1
    bench.now_ms += 1
    bench.quiet_s = 0.0
    bench.upkeep.look()
    assert len(bench.backups.all()) == 1, "not while an answer comes"
    bench.quiet_s = QUIET_WHEN_OVERDUE_S
    bench.upkeep.look()
    assert len(bench.backups.all()) == 2


def test_it_can_be_turned_off_while_the_host_runs(bench: Bench) -> None:
    bench.settings = Settings(backup_enabled=False)
    bench.upkeep.look()
    assert bench.backups.all() == []
    bench.settings = Settings()
    bench.upkeep.look()
    assert len(bench.backups.all()) == 1


def test_as_many_are_kept_as_the_settings_say(bench: Bench) -> None:
    bench.settings = Settings(backup_daily=3, backup_weekly=0)
    for day in range(6):
        bench.now_ms = NOON_MS + day * DAY_MS
        bench.upkeep.look()
    assert len(bench.backups.all()) == 3


def test_a_backup_that_fails_is_told_and_tried_again_in_an_hour(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, log: Callable[[], str]
) -> None:
    tries = []

    def full(*_: object, **__: object) -> None:
        tries.append(bench.now_ms)
        raise StoreFailed("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(copying, "copy", full)
        for minute in range(61):
            bench.now_ms = NOON_MS + minute * 60_000
            bench.upkeep.look()
    assert tries == [NOON_MS, NOON_MS + RETRY_BACKUP_MS]
    (notice,) = bench.notices.all()
    assert notice.kind == "backup"
    assert "The disk is full." in notice.message
    assert "none yet" in notice.message
    assert "The disk is full." in log()
    late = Notices()
    Upkeep(bench.store, bench.database, late, settings=Settings, quiet_s=lambda: 0.0, replaced=lambda: None).tell()
    assert late.all() == [notice], "a host that starts later tells it too"
    bench.now_ms += RETRY_BACKUP_MS
    bench.upkeep.look()
    assert bench.told() == []
    assert len(bench.backups.all()) == 1


def test_what_cannot_be_written_down_is_told_all_the_same(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.backups.folder.write_bytes(b"a file where the folder would be")
    bench.upkeep.look()
    assert bench.told() == ["backup"]
    bench.backups.folder.unlink()
    bench.now_ms += RETRY_BACKUP_MS
    bench.upkeep.look()
    assert bench.told() == []


def test_damage_that_a_request_meets_is_put_right(bench: Bench) -> None:
    bench.write("old")
    bench.backups.make(bench.database, Plan(), now_ms=NOON_MS)
    bench.write("new")
    bench.garble()
    with pytest.raises(StoreFailed, match="damaged"):
        bench.names()
    bench.upkeep.look()
    assert bench.names() == {"old"}
    assert bench.told() == ["store"]
    assert bench.replaced == 1
    bench.write("life goes on")
    bench.upkeep.look()
    assert bench.replaced == 1
    assert bench.names() == {"old", "life goes on"}


def test_damage_that_nobody_has_met_is_found_by_the_days_backup(bench: Bench) -> None:
    bench.write("old")
    bench.upkeep.look()
    bench.garble()
    bench.now_ms += DAY_MS
    bench.upkeep.look()
    assert len(bench.backups.all()) == 1, "the damage did not become a backup"
    bench.upkeep.look()
    assert bench.names() == {"old"}
    assert bench.told() == ["store"]


def test_without_a_good_backup_the_host_goes_on_with_what_can_be_read(bench: Bench) -> None:
    bench.write("old")
    bench.garble()
    with pytest.raises(StoreFailed):
        bench.names()
    content = paths.database(bench.home).read_bytes()
    bench.upkeep.look()
    assert bench.told() == ["damaged"]
    assert bench.replaced == 0
    assert paths.database(bench.home).read_bytes() == content
    assert not bench.store.is_marked, "the next start does not read it all again"


def test_a_store_cut_to_nothing_under_a_host_is_refused_and_not_filled_anew(bench: Bench) -> None:
    bench.write("old")
    bench.database.close()
    for path in bench.home.glob("sidekeep.sqlite3-*"):
        path.unlink()
    file = paths.database(bench.home)
    file.write_bytes(b"")
    bench.backups.folder.mkdir()
    (bench.backups.folder / "sidekeep-20260101T000000Z.sqlite3").write_bytes(b"no good one")
    bench.database.damage.set()
    bench.upkeep.look()
    for _ in range(2):
        with pytest.raises(StoreFailed, match="cut to nothing"):
            bench.names()
    assert file.read_bytes() == b""
    assert bench.told() == ["damaged"]


def test_a_false_alarm_changes_nothing(bench: Bench) -> None:
    bench.write("old")
    bench.backups.make(bench.database, Plan(), now_ms=NOON_MS)
    bench.write("new")
    bench.database.damage.set()
    bench.upkeep.look()
    assert bench.names() == {"old", "new"}
    assert (bench.told(), bench.replaced) == ([], 0)


def test_a_sound_backup_settles_that_the_store_was_damaged(bench: Bench) -> None:
    bench.upkeep._record.put("damaged", "The store is damaged.")
    bench.upkeep.tell()
    assert bench.told() == ["damaged"]
    bench.upkeep.look()
    assert bench.told() == []


def test_a_mark_of_another_process_is_attended_to(bench: Bench) -> None:
    bench.write("old")
    bench.upkeep.attend()
    assert not bench.database.damage.is_set()
    bench.store.mark()
    bench.upkeep.attend()
    assert bench.database.damage.is_set(), "it wakes the thread"
    bench.upkeep.look()
    assert not bench.store.is_marked
    assert bench.names() == {"old"}


def test_a_store_that_another_process_has_just_replaced_is_taken_for_another_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process marks it once more, finds it sound, and must not go on in the old one's sequence of changes."""
    file = paths.database(bench.home)

    def replaced_before(_store: StoreFile) -> bool:
        fresh = file.with_name("fresh")
        with copying.opened(file) as source:
            copying.copy(source, fresh)
        for ending in ("-wal", "-shm"):
            file.with_name(file.name + ending).unlink(missing_ok=True)
        fresh.replace(file)
        return False

    bench.write("kept")
    monkeypatch.setattr(recovery, "recover", replaced_before)
    bench.database.damage.set()
    bench.upkeep.look()
    assert bench.replaced == 1
    assert "kept" in bench.names()


def test_after_a_backup_failed_a_clock_that_is_put_back_does_not_put_the_next_one_off(bench: Bench) -> None:
    bench.backups.folder.parent.mkdir(exist_ok=True)
    bench.backups.folder.write_bytes(b"a file where the folder would be")
    bench.upkeep.look()
    bench.backups.folder.unlink()
    bench.now_ms -= 365 * DAY_MS
    bench.upkeep.look()
    assert len(bench.backups.all()) == 1


def _changes(bench: Bench) -> int:
    with bench.database.reading() as tx:
        (count,) = next(tx.execute("SELECT count(*) FROM changes"))
    return int(count)


def _write_one(bench: Bench, value: str) -> None:
    with Writes(bench.database, lambda: bench.now_ms).begin(OWN) as write:
        write.touch("theme")
        area.put(write.tx, OWN, "theme", orjson.dumps(value), 1)


def test_what_was_removed_is_forgotten_after_a_minute_although_nobody_writes(bench: Bench) -> None:
    _write_one(bench, "dark")
    for seconds, left in ((30, 1), (30, 1), (30, 0)):
        bench.now_ms += seconds * 1000
        bench.up_s += seconds
        bench.upkeep.look()
        assert _changes(bench) == left


@pytest.mark.parametrize("jump_ms", [-365 * DAY_MS, 3650 * DAY_MS], ids=["back a year", "ten years on"])
def test_a_clock_that_jumps_makes_no_change_forgotten_that_others_have_not_heard_of(bench: Bench, jump_ms: int) -> None:
    bench.settings = Settings(backup_enabled=False)
    for number in range(changes.PRUNE_EVERY - 1):
        _write_one(bench, f"{number}")
    bench.now_ms += jump_ms
    bench.upkeep.look()
    _write_one(bench, "the one that looks for what can be forgotten")
    assert _changes(bench) == changes.PRUNE_EVERY
