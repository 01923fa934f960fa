"""`build`: a request out of 300 messages with 30 pictures (8 MB), and out of 2,000, beside reading and writing the array once."""

import json
import subprocess
from pathlib import Path

from tasks.bench.figures import Comparison, Figure, Table
from tasks.places import VENV_PYTHON
from tasks.say import TaskError

PEER = "array of 300, parsed, written"
WORK = "a request out of 300 messages with 8 MB of pictures, and out of 2,000"
GOALS = (
    Comparison("300: build, all anew", at_most=3),
    Comparison("300: build, memory", at_most=10),
    Comparison("2,000: build, all anew", at_most=20),
)
_SCRIPT = Path(__file__).with_name("build_work.py")


def measure(runs: int) -> Table:
    """Medians of `runs` in a process of the host's own Python; memory is the peak of one build. Raises TaskError."""
    done = subprocess.run([VENV_PYTHON, _SCRIPT, str(runs)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise TaskError(f"The bench failed:\n{done.stderr}")
    figures = {
        name: Figure(name, tuple(samples), "MB" if name.endswith("memory") else "ms")
        for name, samples in json.loads(done.stdout).items()
    }
    peer = figures.pop(PEER)
    return Table("build", WORK, peer, tuple(figures.values()), GOALS)
