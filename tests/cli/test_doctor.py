"""`sidekeep doctor`, as people and programs run it."""

import json
import zipfile
from pathlib import Path

import pytest
from tests.cli.conftest import Sidekeep

PLACE = "NativeMessagingHosts/dev.sidekeep.host.json"
SECRET = "sk-proj-0123456789abcdefABCDEF0123456789"


@pytest.fixture
def profile(tmp_path: Path, sidekeep: Sidekeep, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A profile directory in which Sidekeep is installed."""
    monkeypatch.setenv("HOME", str(tmp_path / "Ania Żak"))
    (tmp_path / "Ania Żak").mkdir()
    assert sidekeep("install", "--user-data-dir", str(tmp_path / "profile")).returncode == 0
    return tmp_path / "profile"


def test_all_is_well(sidekeep: Sidekeep, profile: Path) -> None:
    result = sidekeep("doctor", "--user-data-dir", str(profile))
    assert result.returncode == 0, result.stdout
    assert "WRONG" not in result.stdout


def test_the_first_thing_that_is_wrong_is_the_last_line_and_the_status(sidekeep: Sidekeep, profile: Path) -> None:
    (profile / PLACE).write_text("{", "utf-8")
    result = sidekeep("doctor", "--user-data-dir", str(profile))
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1].startswith(f"{profile / PLACE} is not JSON")
    told = json.loads(sidekeep("doctor", "--user-data-dir", str(profile), "--json").stdout)
    assert (told["schema"], told["ok"], told["first"]["cause"]) == (1, False, "manifest_not_json")


def test_fix_repairs_and_looks_again(sidekeep: Sidekeep, profile: Path) -> None:
    (profile / PLACE).unlink()
    result = sidekeep("doctor", "--user-data-dir", str(profile), "--fix")
    assert result.returncode == 0, result.stdout
    assert "Repaired: " in result.stdout
    assert (profile / PLACE).is_file()


def test_a_browser_that_was_named_and_is_not_told_of_the_host(sidekeep: Sidekeep, profile: Path) -> None:
    told = json.loads(sidekeep("doctor", "--browser", "vivaldi", "--json").stdout)
    assert told["first"]["cause"] == "manifest_missing"
    assert "`sidekeep install --browser vivaldi`" in told["first"]["message"]


def test_a_browser_without_sidekeep_is_only_a_note_where_another_has_it(
    sidekeep: Sidekeep, profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/sbin")
    for folder in ("chromium", "vivaldi"):
        (tmp_path / "Ania Żak" / ".config" / folder).mkdir(parents=True)
    sidekeep("install", "--browser", "vivaldi")
    told = json.loads(sidekeep("doctor", "--json").stdout)
    of_chromium = [finding for finding in told["findings"] if finding["subject"] == "Chromium"]
    assert [finding["severity"] for finding in of_chromium] == ["warning"]
    assert told["ok"]


def test_no_browser_at_all(sidekeep: Sidekeep, profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/sbin")
    told = json.loads(sidekeep("doctor", "--json").stdout)
    assert told["first"]["cause"] == "no_browser"


def test_a_report_names_no_person_no_server_no_key(
    sidekeep: Sidekeep, profile: Path, home: Path, tmp_path: Path
) -> None:
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text('[network]\nproxy = "http://ania:geheim@proxy.firma.example:3128"\n')
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "host.log").write_text(
        f"info asked https://models.firma.example/v1 with {SECRET}; {tmp_path}/Ania Żak/x; http://127.0.0.1:11434/v1\n"
    )
    (home / "logs" / "crash.txt").write_text(f"Fatal in {home}/x\n")
    target = tmp_path / "report.zip"
    result = sidekeep("doctor", "report", str(target))
    assert result.returncode == 0, result.stderr
    with zipfile.ZipFile(target) as bundle:
        parts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    assert {"README.txt", "doctor.json", "versions.json", "settings.txt", "logs/host.log", "logs/crash.txt"} == set(
        parts
    )
    whole = "\n".join(parts.values())
    for private in ("geheim", "firma.example", SECRET, "Ania", str(home), str(tmp_path / "Ania Żak")):
        assert private not in whole
    assert "http://127.0.0.1:11434" in parts["logs/host.log"]
    assert "network.proxy is set" in parts["settings.txt"]
    assert json.loads(parts["doctor.json"])


def test_a_report_that_cannot_be_written_is_said(sidekeep: Sidekeep, profile: Path, tmp_path: Path) -> None:
    result = sidekeep("doctor", "report", str(tmp_path / "gone" / "report.zip"))
    assert result.returncode == 1
    assert "could not be written" in result.stderr
