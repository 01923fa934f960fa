"""The settings of a process: the file over the panel over the defaults, and what is told of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from tests.support.stores import OWN, open_services

from sidekeep import paths
from sidekeep.service import in_memory
from sidekeep.service.notices import Notices
from sidekeep.service.services import Services
from sidekeep.service.settings import HostSettings
from sidekeep.settings import file as settings_file
from sidekeep.settings.model import Settings
from sidekeep.store import panel_settings
from sidekeep.store.database import Database

Log = Callable[[], str]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return paths.ensure_private(tmp_path / "home")


@pytest.fixture
def notices() -> Notices:
    return Notices()


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    opened = Database(paths.database(home))
    yield opened
    opened.close()


@pytest.fixture
def settings(home: Path, notices: Notices, database: Database, log: Log) -> HostSettings:
    """The settings of a host that has been greeted."""
    fresh = HostSettings(home, notices)
    fresh.attach(database)
    return fresh


def _edit(home: Path, text: str) -> None:
    paths.settings_file(home).write_text(text, "utf-8")


def _restarted(home: Path, database: Database) -> HostSettings:
    again = HostSettings(home)
    again.attach(database)
    return again


def test_what_is_set_counts_and_stays(home: Path, settings: HostSettings, database: Database) -> None:
    settings.set({"backup.daily": 3, "network.proxy": "http://proxy.example"})
    assert (settings.current.backup_daily, settings.current.proxy) == (3, "http://proxy.example")
    assert settings.layered.source["backup.daily"] == "panel"
    assert _restarted(home, database).current == settings.current


def test_none_takes_a_value_away(settings: HostSettings) -> None:
    settings.set({"backup.daily": 3, "limits.chats": 10})
    settings.set({"backup.daily": None, "limits.chats": None})
    assert settings.current == Settings()
    assert set(settings.layered.source.values()) == {"default"}
    assert settings.layered.pending == {}


def test_another_process_hears_of_it(home: Path, settings: HostSettings, database: Database) -> None:
    other = _restarted(home, database)
    tick = paths.tick(home)
    tick.touch()
    before = tick.stat().st_mtime_ns
    settings.set({"backup.daily": 3})
    assert tick.stat().st_mtime_ns > before
    other.refresh()
    assert other.current.backup_daily == 3


def test_the_file_wins_and_the_panels_value_comes_back_with_the_keys_going(home: Path, settings: HostSettings) -> None:
    settings.set({"backup.daily": 3})
    _edit(home, "[backup]\ndaily = 1\n")
    settings.reload()
    assert (settings.current.backup_daily, settings.layered.source["backup.daily"]) == (1, "file")
    settings.set({"backup.daily": 5})
    assert settings.current.backup_daily == 1
    paths.settings_file(home).unlink()
    settings.reload()
    assert (settings.current.backup_daily, settings.layered.source["backup.daily"]) == (5, "panel")


def test_a_wrong_edit_changes_nothing_and_is_told_until_it_is_right(
    home: Path, settings: HostSettings, notices: Notices, log: Log
) -> None:
    _edit(home, "[backup]\ndaily = 1\n")
    settings.reload()
    _edit(home, "[backup]\ndaily = 2\nweekly = 'many'\n")
    settings.reload()
    assert settings.current.backup_daily == 1
    (notice,) = notices.all()
    assert notice.kind == "settings"
    assert "line 3: backup.weekly" in notice.message
    assert "line 3: backup.weekly" in log()
    _edit(home, "[backup]\ndaily = 2\n")
    settings.reload()
    assert settings.current.backup_daily == 2
    assert notices.all() == []


def test_the_same_fault_is_logged_once(home: Path, settings: HostSettings, log: Log) -> None:
    _edit(home, "wrong")
    for _ in range(3):
        settings.reload()
    assert log().count("not taken over") == 1


def test_a_host_that_starts_while_the_file_is_wrong_has_the_last_good_values(
    home: Path, settings: HostSettings, database: Database
) -> None:
    _edit(home, '[network]\nproxy = "http://proxy.example"\n')
    settings.reload()
    _edit(home, "[network")
    again = _restarted(home, database)
    assert again.current.proxy == "http://proxy.example"
    assert again.wrong is not None
    assert paths.good_settings(home).stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_checked_is_taken_over_at_start_as_it_is(
    home: Path, settings: HostSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edit(home, "[backup]\ndaily = 1\n")
    settings.reload()
    monkeypatch.setattr(settings_file, "parse", lambda _file, _data: {"backup.daily": 9})
    assert HostSettings(home).current.backup_daily == 1
    _edit(home, "[backup]\ndaily = 2\n")
    assert HostSettings(home).current.backup_daily == 9, "another file is checked"


@pytest.mark.parametrize(
    "kept", ["", "[]", "{", '{"version": 1}', '{"version": "0", "toml": "wrong", "values": {"log.level": 7}}']
)
def test_what_another_version_kept_or_something_broke_is_nothing(home: Path, log: Log, kept: str) -> None:
    paths.good_settings(home).write_text(kept, "utf-8")
    _edit(home, "wrong")
    assert HostSettings(home).current == Settings()
    assert "line 1" in log()


def test_a_file_that_was_taken_away_does_not_come_back(home: Path, settings: HostSettings, database: Database) -> None:
    _edit(home, "[backup]\ndaily = 1\n")
    settings.reload()
    paths.settings_file(home).unlink()
    settings.reload()
    assert settings.current == Settings()
    _edit(home, "wrong")
    assert _restarted(home, database).current == Settings()


def test_a_wrong_file_with_nothing_good_before_it_means_the_defaults(home: Path, log: Log) -> None:
    _edit(home, "wrong")
    settings = HostSettings(home)
    assert settings.current == Settings()
    assert "line 1" in log()


def test_a_private_window_leaves_no_copy_of_the_file(home: Path) -> None:
    private = HostSettings(home)
    private.attach(Database(None))
    _edit(home, "[backup]\ndaily = 1\n")
    private.reload()
    private.set({"backup.weekly": 1})
    assert (private.current.backup_daily, private.current.backup_weekly) == (1, 1)
    assert [path.name for path in home.iterdir()] == ["settings.toml"]


def test_a_private_window_begins_with_what_the_panel_set(home: Path) -> None:
    with open_services(home) as services:
        services.settings.attach(services.database)
        services.settings.set({"limits.chats": 7})
        with in_memory.open_beside(services, OWN).database.reading() as tx:
            kept = panel_settings.read(tx)
    assert (kept.panel, kept.in_force) == ({"limits.chats": 7}, {"limits.chats": 7})


def test_a_limit_lowered_by_the_panel_counts(settings: HostSettings) -> None:
    settings.set({"limits.chats": 10})
    assert settings.current.limit_chats == 10
    assert settings.layered.pending == {}


def test_a_limit_lowered_in_the_file_waits_for_a_confirmation(
    home: Path, settings: HostSettings, notices: Notices, database: Database
) -> None:
    _edit(home, "[limits]\nchats = 10\nmessages = 20\n")
    settings.reload()
    assert (settings.current.limit_chats, settings.current.limit_messages) == (200, 300)
    assert [notice.kind for notice in notices.all()] == ["limits", "limits"]
    assert "lowered to 10 (200 until now)" in notices.all()[0].message
    assert settings.confirm(["limits.chats"]) == {"limits.chats": 10}
    assert (settings.current.limit_chats, settings.current.limit_messages) == (10, 300)
    assert [notice.message.partition(" ")[0] for notice in notices.all()] == ["limits.messages"]
    assert _restarted(home, database).current == settings.current


def test_setting_the_waiting_value_confirms_it_and_another_does_not(home: Path, settings: HostSettings) -> None:
    _edit(home, "[limits]\nchats = 10\n")
    settings.reload()
    settings.set({"limits.chats": 11})
    assert settings.current.limit_chats == 200
    settings.set({"limits.chats": 10})
    assert settings.current.limit_chats == 10
    assert settings.layered.source["limits.chats"] == "file"


def test_what_is_confirmed_is_what_waits_and_nothing_lower(home: Path, settings: HostSettings) -> None:
    _edit(home, "[limits]\nchats = 10\n")
    settings.reload()
    settings.confirm(["limits.chats"])
    _edit(home, "[limits]\nchats = 9\n")
    settings.reload()
    assert settings.current.limit_chats == 10
    assert settings.layered.pending == {"limits.chats": 9}


def test_a_limit_raised_in_the_file_counts_and_going_back_waits(
    home: Path, settings: HostSettings, database: Database
) -> None:
    _edit(home, "[limits]\nchats = 1000\n")
    settings.reload()
    assert settings.current.limit_chats == 1000
    paths.settings_file(home).unlink()
    for later in (settings, _restarted(home, database)):
        later.reload()
        assert later.current.limit_chats == 1000
        assert later.layered.pending == {"limits.chats": 200}


def test_a_raised_limit_is_in_force_also_while_another_holds_the_store(
    home: Path, settings: HostSettings, database: Database, log: Log
) -> None:
    _edit(home, "[limits]\nchats = 1000\n")
    database.never_wait()
    other = apsw.Connection(str(paths.database(home)))
    other.execute("BEGIN IMMEDIATE")
    settings.reload()
    other.close()
    assert settings.current.limit_chats == 1000
    assert "could not be noted" in log()


def test_what_counts_from_the_next_start_is_told(
    home: Path, settings: HostSettings, notices: Notices, database: Database
) -> None:
    _edit(home, f"allowed_extensions = ['{'a' * 32}']\n[sqlite]\nsynchronous = 'FULL'\n")
    settings.reload()
    assert {notice.message.partition(" ")[0] for notice in notices.all()} == {
        "allowed_extensions",
        "sqlite.synchronous",
    }
    assert all("next starts" in notice.message for notice in notices.all())
    later = Notices()
    HostSettings(home, later).attach(database)
    assert later.all() == []
    _edit(home, "")
    settings.reload()
    assert notices.all() == []


def test_whoever_follows_is_called_for_changes_alone(home: Path, settings: HostSettings) -> None:
    heard: list[Settings] = []
    settings.follow(heard.append)
    settings.reload()
    settings.refresh()
    assert heard == []
    _edit(home, "[log]\nlevel = 'debug'\n")
    settings.reload()
    assert [found.log_level for found in heard] == ["debug"]


def test_a_change_is_logged_by_its_key_and_not_its_value(settings: HostSettings, log: Log) -> None:
    settings.set({"network.proxy": "http://me:secret@proxy.example"})
    assert "settings changed: network.proxy" in log()
    assert "secret" not in log()


def test_the_idle_time_of_a_model_that_runs_already_changes(services: Services) -> None:
    offline = services.models.offline
    services.models.apply(Settings(model_idle_seconds=7))
    assert offline.idle_s == 7
