"""`frozen_start`: from spawn to the hello reply of the frozen host, beside the unfrozen one's."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tasks.bench.figures import Comparison, Figure, Table, interleaved, ms_since
from tasks.bench.host import Host
from tasks.package.places import FROZEN
from tasks.places import HOST_PROGRAM
from tasks.say import TaskError

PEER = "unfrozen: spawn to hello"
OURS = "frozen: spawn to hello"
PROGRAM = FROZEN / HOST_PROGRAM.name


def measure(runs: int) -> Table:
    """The medians of `runs` starts each, on one store. Raises TaskError where no frozen host is built."""
    if not PROGRAM.exists():
        raise TaskError("No frozen host is built: run `python3 build.py package --only-host`, then this again.")
    with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
        home = Path(folder)
        works = {name: _start(name, program, home) for name, program in ((PEER, HOST_PROGRAM), (OURS, PROGRAM))}
        samples = interleaved(works, runs)
    peer, ours = Figure(PEER, samples[PEER]), Figure(OURS, samples[OURS])
    goal = Comparison(OURS, PEER, at_most=1.2)
    return Table("frozen_start", "the same start, of the host as packages bring it", peer, (ours,), (goal,))


def _start(name: str, program: Path, home: Path) -> Callable[[], dict[str, float]]:
    def work() -> dict[str, float]:
        started = time.perf_counter()
        with Host(home, program) as host:
            host.hello()
            return {name: ms_since(started)}

    return work
