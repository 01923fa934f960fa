"""The frozen host does what the unfrozen one does. (`SIDEKEEP_TEST_PROGRAM` runs tests/process on it: see .ci/package.)"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.host import RunningHost
from tests.wire.test_wire_cases import SKIPPED, SOFT, play

from sidekeep.cli import COMMANDS
from tasks import weights
from tasks.package.places import FROZEN


def run(program: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [program, *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_wire_cases_end_as_on_the_unfrozen_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDEKEEP_TEST_PYTHON", sys.executable)
    results = play(tmp_path, [str(FROZEN / "wire-host")])
    assert {name: why for name, (outcome, why) in results.items() if outcome == "FAIL"} == {}
    assert {name for name, (outcome, _) in results.items() if outcome == "SKIP"} == SKIPPED.keys()
    assert {name for name, (outcome, _) in results.items() if outcome == "SOFT"} == SOFT.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_it(program: Path, command: str) -> None:
    result = run(program, command, "--help")
    assert result.returncode == 0, result.stderr


def test_it_brings_the_extension(program: Path) -> None:
    told = json.loads(run(program, "extension", "--json").stdout)
    assert told["path"] == str(program.parent / "extension")
    assert (program.parent / "extension" / "manifest.json").is_file()


def test_it_is_installed_examined_and_taken_away(program: Path, tmp_path: Path) -> None:
    profile, home = str(tmp_path / "profile"), str(tmp_path / "home")
    assert run(program, "install", "--user-data-dir", profile, SIDEKEEP_HOME=home).returncode == 0
    examined = run(program, "doctor", "--user-data-dir", profile, SIDEKEEP_HOME=home)
    assert examined.returncode == 0, examined.stdout
    assert str(program) in examined.stdout
    assert run(program, "uninstall", "--user-data-dir", profile, SIDEKEEP_HOME=home).returncode == 0
    assert not (tmp_path / "profile").exists()


def test_a_sandboxed_browser_gets_a_copy_that_runs(program: Path, tmp_path: Path) -> None:
    (tmp_path / "snap" / "chromium" / "common").mkdir(parents=True)
    environment = {"HOME": str(tmp_path), "SIDEKEEP_HOME": str(tmp_path / "home")}
    assert run(program, "install", "--browser", "chromium-snap", **environment).returncode == 0
    tree = tmp_path / "snap" / "chromium" / "common" / "sidekeep"
    with RunningHost(tmp_path / "unused", program=(str(tree / "start"),)) as host:
        host.hello()
    assert (tree / "store" / "sidekeep.sqlite3").is_file()
    assert not (tmp_path / "unused").exists()
    assert run(program, "uninstall", **environment).returncode == 0
    assert [path.name for path in tree.iterdir()] == ["store"]


def test_what_it_starts_does_not_get_its_libraries(program: Path, tmp_path: Path) -> None:
    """PyInstaller's loader puts its folder on LD_LIBRARY_PATH, where another program would find the wrong OpenSSL."""
    tool = tmp_path / "uv"
    tool.write_text(f'#!/bin/sh\nenv > "{tmp_path}/seen"\nexit 1\n')
    tool.chmod(0o755)
    run(program, "model", "get", "--yes", PATH=f"{tmp_path}:/usr/bin:/bin", SIDEKEEP_HOME=str(tmp_path / "home"))
    seen = (tmp_path / "seen").read_text()
    assert "SIDEKEEP_HOME=" in seen
    assert "LD_LIBRARY_PATH" not in seen


def test_the_offline_model_answers(program: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    weights.share_with(home)
    with RunningHost(home, program=(str(program),)) as host:
        host.hello()
        host.request("turn.send", text="Say hello.")
        done = host.event("turn.done", within_s=120)
        assert done["message"]["content"]
