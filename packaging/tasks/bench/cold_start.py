"""`cold_start`: from spawn to the hello reply, and from hello to getAll, beside `python -c pass`."""

import subprocess
import tempfile
import time
from pathlib import Path

from tasks.bench.figures import Figure, Table, interleaved
from tasks.bench.host import Host
from tasks.places import VENV_PYTHON

PEER = "python -c pass"
HELLO = "spawn to hello"
GET_ALL = "hello to getAll"


def measure(runs: int) -> Table:
    """The medians of `runs` starts each, on a store that exists. Raises TaskError."""
    with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
        home = Path(folder)
        samples = interleaved({"peer": _python, "host": lambda: _host(home)}, runs)
    figures = tuple(Figure(name, samples[name]) for name in (HELLO, GET_ALL))
    return Table("cold_start", Figure(PEER, samples[PEER]), figures, goal="spawn to hello at most 4x python -c pass")


def _python() -> dict[str, float]:
    started = time.perf_counter()
    subprocess.run([VENV_PYTHON, "-c", "pass"], check=True, stdin=subprocess.DEVNULL)
    return {PEER: _ms_since(started)}


def _host(home: Path) -> dict[str, float]:
    started = time.perf_counter()
    with Host(home) as host:
        host.hello()
        to_hello = _ms_since(started)
        greeted = time.perf_counter()
        host.request("storage.getAll")
        return {HELLO: to_hello, GET_ALL: _ms_since(greeted)}


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
