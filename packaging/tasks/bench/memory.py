"""`memory`: the host's process (RSS) idle, after 8 MB, after a message of 60 MB, after 10,000 messages; beside bare Python."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tasks.bench.conversations import conversation
from tasks.bench.corpus import Corpus
from tasks.bench.figures import Comparison, Figure, Table, interleaved
from tasks.bench.host import Host
from tasks.places import VENV_PYTHON
from tasks.say import TaskError

PEER = "bare Python"
HELLO = "after hello"
IDLE = "idle"
PICTURES = "after 8 MB set and read"
LARGE = "after a message of 60 MB"
MANY = "after 10,000 messages"
STEPS = (HELLO, IDLE, PICTURES, LARGE, MANY)
WORK = "memory of the host's process"
LARGE_BYTES = 60_000_000
CHATS, MESSAGES = 50, 200
NO_LIMITS = "[limits]\nchats = 0\nmessages = 0\n"
# After 0.3 s of quiet it imports what a first question needs, which takes about as long.
SETTLED_S = 1.5
# A run takes ten seconds and comes out the same within a few MB.
MOST_RUNS = 15


def measure(runs: int, *, settled_s: float = SETTLED_S, large_bytes: int = LARGE_BYTES, chats: int = CHATS) -> Table:
    """RSS in MB, each run in a process and on a store of its own. Raises TaskError where the system does not tell it."""
    if sys.platform != "linux":
        raise TaskError("Memory is read from /proc, which only Linux has: run this there.")

    def host() -> dict[str, float]:
        with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
            return _host(Path(folder), settled_s, large_bytes, chats)

    samples = interleaved({"peer": _python, "host": host}, min(runs, MOST_RUNS))
    figures = tuple(Figure(name, samples[name], "MB") for name in STEPS)
    rows = tuple(Comparison(figure.name, PEER) for figure in figures)
    return Table("memory", WORK, Figure(PEER, samples[PEER], "MB"), figures, rows)


def _python() -> dict[str, float]:
    command: list[str | Path] = [VENV_PYTHON, "-c", "print(flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        taken = rss_mb(child.pid)
        child.communicate(b"\n")
    return {PEER: taken}


def _host(home: Path, settled_s: float, large_bytes: int, chats: int) -> dict[str, float]:
    (home / "settings.toml").write_text(NO_LIMITS, encoding="utf-8")
    taken = {}

    def note(name: str) -> None:
        time.sleep(settled_s)
        taken[name] = rss_mb(host.pid)

    with Host(home) as host:
        host.hello()
        taken[HELLO] = rss_mb(host.pid)
        host.request("storage.getAll")
        note(IDLE)
        host.request("storage.set", items={"history": conversation()})
        host.request("storage.get", keys=["history"])
        note(PICTURES)
        host.request("storage.set", items={"session_large": [{"role": "user", "content": "x" * large_bytes}]})
        note(LARGE)
        for number in range(chats):
            texts = Corpus(number).messages(MESSAGES)
            host.request(
                "storage.set", items={f"session_{number}": [{"role": "user", "content": text} for text in texts]}
            )
        note(MANY)
    return taken


def rss_mb(pid: int) -> float:
    """Resident memory of a process, in MB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise TaskError(f"The process {pid} has ended.")
