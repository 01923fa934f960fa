"""`sidekeep install` and `uninstall`, as people run them."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Sidekeep

PLACE = "NativeMessagingHosts/dev.sidekeep.host.json"
OWN = "hodbpabemnndpbbmcjdinhofnnepgklm"
OTHER = "b" * 32


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody's home, with Chromium in it."""
    folder = tmp_path / "Ania Żak"
    (folder / ".config" / "chromium").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def test_a_dry_run_says_what_would_be_done_and_does_nothing(sidekeep: Sidekeep, person: Path, home: Path) -> None:
    result = sidekeep("install", "--browser", "chromium", "--allow-extension", OTHER, "--dry-run")
    assert result.returncode == 0, result.stderr
    for named in (person / ".config" / "chromium" / PLACE, home / "settings.toml", OTHER):
        assert str(named) in result.stdout
    assert list((person / ".config" / "chromium").iterdir()) == []
    assert not home.exists()


def test_the_program_that_is_registered_answers_hello(sidekeep: Sidekeep, person: Path) -> None:
    assert sidekeep("install").returncode == 0
    registered = json.loads((person / ".config" / "chromium" / PLACE).read_text("utf-8"))
    assert os.access(registered["path"], os.X_OK)
    assert Path(registered["path"]).parent == Path(sys.executable).parent


def test_json_tells_each_step(sidekeep: Sidekeep, person: Path) -> None:
    told = json.loads(sidekeep("install", "--browser", "chromium", "--json").stdout)
    assert (told["done"], told["allowed"]) == (True, [OWN])
    assert [step["path"] for step in told["steps"]] == [str(person / ".config" / "chromium" / PLACE)]
    removed = json.loads(sidekeep("uninstall", "--json").stdout)
    assert [step["do"] for step in removed["steps"]] == ["remove"]
    assert list((person / ".config" / "chromium").iterdir()) == []


def test_another_extension_is_let_in_by_the_browser_and_by_the_host(
    sidekeep: Sidekeep, person: Path, home: Path
) -> None:
    home.mkdir()
    (home / "settings.toml").write_text('# mine\n[log]\nlevel = "debug"  # loud\n', encoding="utf-8")
    assert sidekeep("install", "--browser", "chromium", "--allow-extension", OTHER).returncode == 0
    manifest = json.loads((person / ".config" / "chromium" / PLACE).read_text("utf-8"))
    assert manifest["allowed_origins"] == [f"chrome-extension://{OWN}/", f"chrome-extension://{OTHER}/"]
    settings = (home / "settings.toml").read_text("utf-8")
    assert settings.endswith('# mine\n[log]\nlevel = "debug"  # loud\n')
    assert sidekeep("settings", "check").returncode == 0
    told = json.loads(sidekeep("install", "--list", "--json").stdout)
    assert told["allowed_extensions"] == [OTHER]
    (registration,) = [found for found in told["registrations"] if not found["system"]]
    assert registration["allowed"] == [OWN, OTHER]
    assert sidekeep("install", "--disallow-extension", OTHER).returncode == 0
    assert OTHER not in (person / ".config" / "chromium" / PLACE).read_text("utf-8")
    assert OTHER not in (home / "settings.toml").read_text("utf-8")


def test_list_says_who_is_let_in_and_whom_the_host_turns_away(sidekeep: Sidekeep, person: Path, home: Path) -> None:
    sidekeep("install", "--allow-extension", OTHER)
    (home / "settings.toml").write_text("", encoding="utf-8")
    listed = sidekeep("install", "--list").stdout
    assert f"lets in {OWN}  (Sidekeep)" in listed
    assert f"lets in {OTHER}  (the host turns it away" in listed


@pytest.mark.parametrize("wrong", ["", "A" * 32, "a" * 31, "q" * 32, f"chrome-extension://{OTHER}/"])
def test_what_is_no_extension_id_is_refused_before_anything_is_written(
    sidekeep: Sidekeep, person: Path, home: Path, wrong: str
) -> None:
    result = sidekeep("install", f"--allow-extension={wrong}")
    assert result.returncode == 1
    assert "no extension id" in result.stderr
    assert list((person / ".config" / "chromium").iterdir()) == []
    assert not home.exists()


def test_without_a_browser_it_says_which_were_looked_for(
    sidekeep: Sidekeep, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / ".config" / "chromium").rmdir()
    monkeypatch.setenv("PATH", str(person))
    result = sidekeep("install")
    assert result.returncode == 1
    assert "Chromium" in result.stderr
    assert "--browser" in result.stderr


def test_xdg_config_home_is_where_browsers_keep_their_data(
    sidekeep: Sidekeep, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(person / "config"))
    sidekeep("install", "--browser", "edge")
    assert (person / "config" / "microsoft-edge" / PLACE).is_file()


def test_a_settings_file_that_is_wrong_is_named_and_nothing_is_written(
    sidekeep: Sidekeep, person: Path, home: Path
) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("allowed_extensions = 5\n", encoding="utf-8")
    result = sidekeep("install")
    assert result.returncode == 1
    assert "settings.toml, line 1" in result.stderr
    assert list((person / ".config" / "chromium").iterdir()) == []


def test_where_settings_toml_cannot_be_written_nothing_is(sidekeep: Sidekeep, person: Path, home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").symlink_to("/proc/no-such-folder/settings.toml")
    result = sidekeep("install", "--browser", "chromium", "--allow-extension", OTHER)
    assert result.returncode == 1
    assert "settings.toml could not be changed" in result.stderr
    assert list((person / ".config" / "chromium").iterdir()) == []


def test_a_settings_file_that_is_a_link_stays_one(sidekeep: Sidekeep, person: Path, home: Path) -> None:
    home.mkdir()
    (person / "dotfile.toml").write_text("# mine\n", encoding="utf-8")
    (home / "settings.toml").symlink_to(person / "dotfile.toml")
    assert sidekeep("install", "--browser", "chromium", "--allow-extension", OTHER).returncode == 0
    assert (home / "settings.toml").is_symlink()
    assert (person / "dotfile.toml").read_text("utf-8").endswith("# mine\n")
