"""`sidekeep smoke`: the host that is installed, over its real pipes."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Sidekeep


@pytest.fixture
def profile(tmp_path: Path, sidekeep: Sidekeep) -> Path:
    """A profile directory in which Sidekeep is installed."""
    assert sidekeep("install", "--user-data-dir", str(tmp_path / "profile")).returncode == 0
    return tmp_path / "profile"


def test_each_step_is_told_with_its_time_and_nothing_is_left_in_the_store(
    sidekeep: Sidekeep, profile: Path, tmp_path: Path
) -> None:
    record = tmp_path / "recording"
    result = sidekeep("smoke", "--user-data-dir", str(profile), "--record", str(record))
    assert result.returncode == 0, result.stdout
    steps = [line for line in result.stdout.splitlines() if " ms  " in line]
    assert len(steps) == 9
    assert "WRONG" not in result.stdout
    methods = [json.loads(line)["message"].get("method") for line in record.read_text("utf-8").splitlines()]
    assert methods[0] == "hello"
    status = sidekeep("smoke", "--user-data-dir", str(profile), "--replay", str(record))
    assert status.returncode == 0, status.stdout
    assert "Every answer is of the recorded kind." in status.stdout


def test_an_answer_of_another_kind_is_told(sidekeep: Sidekeep, profile: Path, tmp_path: Path) -> None:
    record = tmp_path / "recording"
    hello = {"client": "x", "version": "0", "protocol": 1}
    lines = [
        {"at_ms": 0, "side": "browser", "message": {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": hello}},
        {"at_ms": 1, "side": "host", "message": {"jsonrpc": "2.0", "id": 1, "error": {"data": {"kind": "busy"}}}},
    ]
    record.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    result = sidekeep("smoke", "--user-data-dir", str(profile), "--replay", str(record))
    assert result.returncode == 1
    assert "hello: result capabilities, protocol, server, store, version, and was error busy" in result.stdout


def test_a_host_that_does_not_answer_is_the_first_wrong_step(sidekeep: Sidekeep, tmp_path: Path) -> None:
    program = tmp_path / "broken"
    program.write_text("#!/bin/sh\nexit 7\n")
    program.chmod(0o755)
    result = sidekeep("smoke", "--program", str(program))
    assert result.returncode == 1
    assert "greeted as a private window: WRONG: no answer (ended)" in result.stdout


@pytest.mark.parametrize("text", [None, "no json", '{"at_ms": 1}'], ids=["not there", "no JSON", "no recording"])
def test_what_is_no_recording_is_refused(sidekeep: Sidekeep, profile: Path, tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "recording").write_text(text, "utf-8")
    result = sidekeep("smoke", "--user-data-dir", str(profile), "--replay", str(tmp_path / "recording"))
    assert result.returncode == 1
    assert str(tmp_path / "recording") in result.stderr


def test_without_a_registration_it_says_so(sidekeep: Sidekeep, tmp_path: Path) -> None:
    result = sidekeep("smoke", "--user-data-dir", str(tmp_path / "empty"))
    assert result.returncode == 1
    assert "is not told of Sidekeep" in result.stderr
