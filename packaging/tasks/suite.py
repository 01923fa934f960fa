"""`test`: everything, in one pytest run and one summary."""

import os
import subprocess
from collections.abc import Sequence

from tasks import browsers
from tasks.places import ROOT, VENV_PYTHON
from tasks.say import say
from tasks.setup import setup_tests

# A file's tests stay together, because what they share (a browser, a model) is made once for each process.
TOGETHER = ("--numprocesses=auto", "--dist=loadfile")


def test(arguments: Sequence[str]) -> int:
    """Do the set-up that tests need and run them; further arguments go to pytest. Returns its exit status."""
    program = browsers.find(None)
    setup_tests()
    say(f"Testing with {program.name} {program.major or ''}".rstrip() + ":")
    # The tests use homes of their own; the checkout's lends them the weights alone.
    environment = {name: value for name, value in os.environ.items() if name != "SIDEKEEP_HOME"}
    return subprocess.run(
        [VENV_PYTHON, "-m", "pytest", *TOGETHER, *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
    ).returncode
