"""`test`: everything, in one pytest run and one summary; a few that failed then run once more, alone."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tasks import browsers
from tasks.places import ROOT, VENV_PYTHON
from tasks.say import say
from tasks.setup import setup_tests

# A file's tests stay together, because what they share (a browser, a model) is made once for each process.
TOGETHER = ("--numprocesses=auto", "--dist=loadfile")
SOME_FAILED = 1  # pytest's exit status
A_FEW = 3


def test(arguments: Sequence[str]) -> int:
    """Do the set-up that tests need and run them; further arguments go to pytest. Returns its exit status."""
    program = browsers.find(None)
    setup_tests()
    say(f"Testing with {program.name} {program.major or ''}".rstrip() + ":")
    return run(ROOT, arguments)


def run(root: Path, arguments: Sequence[str]) -> int:
    """Run the tests of a checkout side by side, and then alone the few that failed. Returns pytest's exit status.

    Browsers, models and hosts beside each other can leave a test without the machine for longer than it waits. One
    that passes alone is told by name and passes; one that fails again, or more than a few, is a failure.
    """
    status = _pytest(root, *TOGETHER, *arguments)
    failed = _last_failed(root) if status == SOME_FAILED else []
    if not 0 < len(failed) <= A_FEW:
        return status
    say("\nOnce more, each alone on the machine: " + ", ".join(failed))
    status = _pytest(root, "--last-failed", *arguments)
    if status == 0:
        say("\nPassed only when run alone, so it waits too short or hides a race; mend it: " + ", ".join(failed))
    return status


def _pytest(root: Path, *arguments: str) -> int:
    # The tests use homes of their own; the checkout's lends them the weights alone.
    environment = {name: value for name, value in os.environ.items() if name != "SIDEKEEP_HOME"}
    return subprocess.run(
        [VENV_PYTHON, "-m", "pytest", *arguments], cwd=root, env=environment, stdin=subprocess.DEVNULL, check=False
    ).returncode


def _last_failed(root: Path) -> list[str]:
    """The failed tests' names, as pytest's own cache has them."""
    try:
        return sorted(json.loads((root / ".pytest_cache/v/cache/lastfailed").read_text("utf-8")))
    except (OSError, ValueError):
        return []
