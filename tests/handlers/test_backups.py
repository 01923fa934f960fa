"""backups.list and backups.make: what they answer, and whom."""

from pathlib import Path

import pytest
from tests.support.host import RunningHost, WireError


def test_what_is_made_is_listed_and_counts_as_the_last_backup(host: RunningHost, home: Path) -> None:
    assert host.request("backups.list") == {"backups": []}
    made = host.request("backups.make")
    assert made["removed"] == 0
    assert host.request("backups.list") == {"backups": [made["backup"]]}
    file = home / "backups" / made["backup"]["name"]
    assert file.stat().st_size == made["backup"]["bytes"]
    assert host.request("status")["lastBackupAt"] == made["backup"]["at"]


def test_a_backup_that_is_one_too_many_goes(host: RunningHost, home: Path) -> None:
    host.request("settings.set", settings={"backup.daily": 1, "backup.weekly": 0})
    first, second = (host.request("backups.make") for _ in range(2))
    assert second["removed"] == 1
    assert [backup["name"] for backup in host.request("backups.list")["backups"]] == [second["backup"]["name"]]
    assert not (home / "backups" / first["backup"]["name"]).exists()


def test_the_store_is_named_to_the_persons_own_extension(host: RunningHost, home: Path) -> None:
    assert host.request("status")["path"] == str(home / "sidekeep.sqlite3")


@pytest.mark.parametrize("method", ["backups.list", "backups.make"])
def test_another_extension_sees_and_makes_none(stranger: RunningHost, method: str) -> None:
    assert stranger.request("status")["path"] is None
    with pytest.raises(WireError) as refused:
        stranger.request(method)
    assert refused.value.kind == "forbidden_origin"


def test_a_private_window_has_nothing_to_back_up(home: Path) -> None:
    with RunningHost(home) as private:
        private.request("hello", client="tests", version="0", protocol=1, incognito=True)
        assert private.request("status")["path"] is None
        with pytest.raises(WireError) as refused:
            private.request("backups.make")
    assert refused.value.kind == "conflict"
