"""`build.py test`: what passes only alone is told and passes; what fails twice, or in numbers, fails."""

from pathlib import Path

import pytest

from tasks import suite

PASSES_THE_SECOND_TIME = """
from pathlib import Path
import pytest
@pytest.mark.parametrize("number", range({count}))
def test_shaky(number):
    been_here = Path(__file__).with_name(f"been-here-{{number}}")
    if not been_here.exists():
        been_here.touch()
        pytest.fail("the first time")
def test_sound():
    pass
"""
ALWAYS_FAILS = "def test_broken():\n    assert False\n"


def run(root: Path, text: str) -> int:
    (root / "test_here.py").write_text(text)
    return suite.run(root, ["--quiet"])


def test_what_passes_alone_is_told_and_passes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, PASSES_THE_SECOND_TIME.format(count=suite.A_FEW)) == 0
    told = capfd.readouterr()
    assert "Passed only when run alone" in told.err
    assert "test_shaky[0]" in told.err.splitlines()[-1]
    assert "test_sound" not in told.err


def test_more_than_a_few_failures_are_not_tried_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, PASSES_THE_SECOND_TIME.format(count=suite.A_FEW + 1)) == 1
    assert "Once more" not in capfd.readouterr().err


def test_what_fails_twice_fails(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, ALWAYS_FAILS) == 1
    told = capfd.readouterr().err
    assert "Once more" in told
    assert "Passed only" not in told
