"""`cold_start`: from spawn to the hello reply, and to that to getAll, which a panel asks for next, beside `python -c pass`."""

import subprocess
import tempfile
import time
from pathlib import Path

from tasks.bench.figures import Comparison, Figure, Table, interleaved, ms_since
from tasks.bench.host import Host
from tasks.places import VENV_PYTHON

PEER = "python -c pass"
HELLO = "spawn to hello"
GET_ALL = "spawn to getAll"


def measure(runs: int) -> Table:
    """The medians of `runs` starts each, on a store that exists. Raises TaskError."""
    with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
        home = Path(folder)
        samples = interleaved({"peer": _python, "host": lambda: _host(home)}, runs)
    peer = Figure(PEER, samples[PEER])
    figures = tuple(Figure(name, samples[name]) for name in (HELLO, GET_ALL))
    rows = (Comparison(HELLO, PEER, at_most=4), Comparison(GET_ALL, PEER))
    return Table("cold_start", "from a browser's start of the host to its first replies", peer, figures, rows)


def _python() -> dict[str, float]:
    started = time.perf_counter()
    subprocess.run([VENV_PYTHON, "-c", "pass"], check=True, stdin=subprocess.DEVNULL)
    return {PEER: ms_since(started)}


def _host(home: Path) -> dict[str, float]:
    started = time.perf_counter()
    with Host(home) as host:
        host.hello()
        to_hello = ms_since(started)
        host.request("storage.getAll")
        return {HELLO: to_hello, GET_ALL: ms_since(started)}
