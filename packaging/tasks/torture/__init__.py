"""`torture`: what a host must bear. A fault is a module with `run(wish) -> Outcome`, named in FAULTS.

They run in the host's own Python (`python -m tasks.torture`), because they look into the store with its code.
"""

import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from tasks import venv
from tasks.places import ROOT, VENV_PYTHON
from tasks.say import say
from tasks.torture import atheris_folder


class Fault(NamedTuple):
    """How much of it a whole run does (`size`), and what that counts."""

    size: int
    of: str


FAULTS = {
    "kills": Fault(500, "kills"),
    "together": Fault(30_000, "operations"),
    "disk": Fault(40, "writes of each kind of request"),
    "clock": Fault(40, "seconds after each jump"),
    "providers": Fault(110, "attacks"),
    "fuzz": Fault(1_000_000, "inputs"),
    "guided": Fault(1_000_000, "inputs, chosen by the code that they reach"),
    "reader": Fault(60, "seconds of slow reading, and of none"),
}
NAMES = tuple(FAULTS)


def torture(only: str | None, *, minutes: float | None, seed: int | None, target: Path | None) -> int:
    """Run one fault or all of them. Returns 1 where anything was found. Raises TaskError."""
    say("Setting up:")
    venv.ensure()
    if only in (None, "guided"):
        atheris_folder.ensure()
    wanted = [
        *([] if only is None else ["--only", only]),
        *([] if minutes is None else ["--minutes", str(minutes)]),
        *([] if target is None else ["--json", str(target)]),
        *("--seed", str(int(time.time()) if seed is None else seed)),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "packaging")}
    environment.pop("SIDEKEEP_HOME", None)  # each fault makes homes of its own
    command: list[str | Path] = [VENV_PYTHON, "-m", "tasks.torture", *wanted]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
