"""The command line is run as people run it: as a process of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.llm.conftest import models_dir

__all__ = ["models_dir"]

Sidekeep = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home that does not exist yet."""
    home = tmp_path / "home"
    monkeypatch.setenv("SIDEKEEP_HOME", str(home))
    return home


@pytest.fixture
def sidekeep(home: Path) -> Sidekeep:
    """Runs `sidekeep ARGUMENT…` without a terminal."""

    def run(*arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-P", "-m", "sidekeep", *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120, check=False)

    return run
