"""What the host lives on: each thing that is wrong is named; nothing is changed by looking."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest
from tests.support.host import RunningHost

from sidekeep.domain import backup
from sidekeep.install.doctor import health
from sidekeep.install.doctor.examination import repair

DAY_S = 86_400


class Space(NamedTuple):
    """What shutil.disk_usage tells."""

    total: int
    used: int
    free: int


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data home in which a host has run."""
    home = tmp_path / "home"
    with RunningHost(home) as host:
        host.hello()
    return home


def causes(home: Path) -> list[str]:
    return [finding.cause for finding in health.examine(home) if finding.severity != "ok"]


def tree(home: Path) -> dict[str, bytes]:
    """Every file but SQLite's index of its WAL, which whoever reads makes."""
    files = (path for path in home.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {str(path): path.read_bytes() for path in files}


def test_a_home_that_is_well_has_nothing_wrong_and_is_left_as_it_is(home: Path) -> None:
    before = tree(home)
    assert causes(home) == []
    assert tree(home) == before


def test_a_home_that_is_not_there_yet_is_no_failure(tmp_path: Path) -> None:
    assert causes(tmp_path / "none") == []
    assert not (tmp_path / "none").exists()


def test_what_others_can_get_at_is_named_and_closed(home: Path) -> None:
    (home / "secrets.json").write_text("{}")
    (home / "secrets.json").chmod(0o644)
    home.chmod(0o777)
    assert causes(home) == ["home_open", "home_open"]
    assert [failed for _, failed in repair(health.examine(home))] == ["", ""]
    assert causes(home) == []
    assert (home / "secrets.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("free", "cause"), [(10**12, []), (400_000_000, ["disk_low"]), (1_000_000, ["disk_full"])], ids=str
)
def test_the_disk(home: Path, monkeypatch: pytest.MonkeyPatch, free: int, cause: list[str]) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Space(10**12, 0, free))
    assert causes(home) == cause


def _old_backup(home: Path) -> None:
    (home / "backups").mkdir(exist_ok=True)
    (home / "backups" / backup.name_of((int(time.time()) - 30 * DAY_S) * 1000)).touch()


def _crash(home: Path) -> None:
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "crash.txt").write_text("Fatal Python error: Segmentation fault\n")


def _old_crash(home: Path) -> None:
    _crash(home)
    long_ago = time.time() - 90 * DAY_S
    os.utime(home / "logs" / "crash.txt", (long_ago, long_ago))


def _damaged_page(home: Path) -> None:
    connection = apsw.Connection(str(home / "sidekeep.sqlite3"))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with (home / "sidekeep.sqlite3").open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"x" * 4096)


STATES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "no backup for a month": (_old_backup, ["backups_old"]),
    "a crash": (_crash, ["crashed"]),
    "a crash of long ago": (_old_crash, []),
    "a page that is broken": (_damaged_page, ["store_unusable"]),
    "settings that are wrong": (lambda home: (home / "settings.toml").write_text("limits = 3"), ["settings_invalid"]),
    "keys that cannot be read": (
        lambda home: (home / "secrets.json").write_bytes(b"\xff"),
        ["home_open", "keys_unreadable"],
    ),
}


@pytest.mark.parametrize(("make", "found"), STATES.values(), ids=STATES.keys())
def test_a_state_is_named(home: Path, make: Callable[[Path], object], found: list[str]) -> None:
    make(home)
    assert causes(home) == found
