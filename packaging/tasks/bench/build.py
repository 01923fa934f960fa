"""`build`: a request out of 300 messages with 30 pictures (8 MB), and out of 2,000, beside what other programs do for theirs."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tasks.bench import peers
from tasks.bench.figures import Comparison, Figure, Table
from tasks.places import VENV_PYTHON
from tasks.say import TaskError

PEER = "array of 300, parsed, written"
NODE = "one array, in Node"
LANGCHAIN = "LangChain, trim_messages"
COUNTER = "LiteLLM, token_counter"
WORK = "a request out of 300 messages with 8 MB of pictures, and out of 2,000"
# Each takes turns with the others so often.
ROUNDS = 3
_FOLDER = Path(__file__).parent

Samples = dict[str, list[float]]


def measure(runs: int) -> Table:
    """Medians of `runs`, each program in a process of its own; memory is the peak of one build. Raises TaskError."""
    skipped: tuple[str, ...] = () if peers.are_there() else (peers.MISSING,)
    samples: Samples = {}
    with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
        programs: list[list[str | Path]] = [
            [VENV_PYTHON, _FOLDER / "build_work.py"],
            ["node", _FOLDER / "build_node.mjs"],
        ]
        if not skipped:
            programs.append([peers.PYTHON, _FOLDER / "build_peers.py"])
        for _ in range(ROUNDS):
            for program in programs:
                for name, measured in _run([*program, str(-(-runs // ROUNDS)), folder]).items():
                    samples.setdefault(name, []).extend(measured)
    figures = {
        name: Figure(name, tuple(values), "MB" if name.endswith("memory") else "ms") for name, values in samples.items()
    }
    peer = figures.pop(PEER)
    return Table("build", WORK, peer, tuple(figures.values()), _comparisons(figures), skipped)


def _comparisons(measured: dict[str, Figure]) -> tuple[Comparison, ...]:
    """The goals in ms and MB; and the whole way beside every peer that was there, told and not judged: a peer's preparation ends
    at messages, this one at the body's bytes.
    """
    besides = [
        Comparison(f"{count}: rows to request", f"{count}: {peer}")
        for count in ("300", "2,000")
        for peer in (NODE, LANGCHAIN, COUNTER)
        if f"{count}: {peer}" in measured
    ]
    return (
        Comparison("300: build, all anew", at_most=3),
        Comparison("300: build, memory", at_most=10),
        Comparison("2,000: build, all anew", at_most=20),
        *besides,
    )


def _run(command: Sequence[str | Path]) -> Samples:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as exc:
        raise TaskError(f"{command[0]} could not be started ({exc.strerror}).") from exc
    if done.returncode:
        raise TaskError(f"{command[1]} failed:\n{done.stderr}")
    samples: Samples = json.loads(done.stdout)
    return samples
