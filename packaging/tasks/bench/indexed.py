"""Waiting until a host has indexed what was stored: it does so once nothing is asked of it (service/indexing.py)."""

import os
import subprocess
import time
from pathlib import Path

from tasks.places import ROOT, VENV_PYTHON
from tasks.say import TaskError, say

LOOK_EVERY_S = 0.5
# 200 MB of text take some minutes.
WAIT_S = 1800


def wait_until_indexed(home: Path) -> None:
    """Wait for the host that has this data home open. Raises TaskError where it does not come to an end."""
    started = time.perf_counter()
    program = "import pathlib, sys; from tasks.bench import indexed; indexed.watch(pathlib.Path(sys.argv[1]))"
    command = (str(VENV_PYTHON), "-c", program, str(home))
    try:
        subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT / "packaging")}, check=True, timeout=WAIT_S)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as exc:
        raise TaskError(f"The host has not indexed what was stored: {exc}") from exc
    say(f"It was indexed in {time.perf_counter() - started:.0f} s more.")


def watch(home: Path) -> None:
    """Return once nothing waits to be indexed. In the host's own Python, which has apsw."""
    import apsw

    from sidekeep import paths
    from sidekeep.store import search_index

    connection = apsw.Connection(str(paths.database(home)), flags=apsw.SQLITE_OPEN_READONLY)
    while search_index.is_behind(connection):
        time.sleep(LOOK_EVERY_S)
