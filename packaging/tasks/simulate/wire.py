"""What a panel waits for, asked over the pipe: start, list, opening a chat, appending, searching; and the host's memory.

Processor time of the host, of all its threads: what a wait comes to on a quiet machine, and the same on a busy one. Where the
system does not tell it (Linux does), the time that passed.
"""

import random
import re
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tasks.bench.corpus import Corpus
from tasks.bench.host import Host
from tasks.bench.search import queries
from tasks.say import say
from tasks.simulate.growth import CORPUS_SEED, Measured

_CPUCLOCK_SCHED = 2
CHATS_OPENED = 25
PAGE = 50
MOST_RUNS_A_QUERY = 9
HEAVY_KEYS = ("history", "savedSessions", "session_*")


def measure(home: Path, runs: int) -> Measured:
    """Medians of `runs`, in ms of processor time; memory in MB. Raises TaskError."""
    figures = _starts(home, runs)
    with Host(home) as host:
        host.hello()
        host.request("storage.watch", keys=HEAVY_KEYS, values=False)  # as the extension's worker does
        figures["memory after start"] = _memory_mb(host)
        listed = host.request("sessions.list", limit=1)
        chats = [
            chat["id"] for chat in host.request("sessions.list", limit=200, offset=listed["total"] // 2)["sessions"]
        ]
        figures["chats"] = listed["total"]
        figures["list, first page"] = _median(host, lambda _: host.request("sessions.list", limit=PAGE), runs)
        figures["list, a page in the middle"] = _median(
            host, lambda _: host.request("sessions.list", limit=PAGE, offset=listed["total"] // 2), runs
        )
        figures |= _chats(host, random.Random(1).sample(chats, min(CHATS_OPENED, len(chats))), runs)  # noqa: S311  nothing secret
        figures |= _searches(host, runs)
        figures["memory after all of it"] = _memory_mb(host)
    return figures


def _starts(home: Path, runs: int) -> Measured:
    greeted, got = [], []
    for _ in range(runs):
        with Host(home) as host:
            host.hello()
            greeted.append(_used_ms(host))
            before = _used_ms(host)
            host.request("storage.getAll")
            got.append(_used_ms(host) - before)
    return {"start to hello": statistics.median(greeted), "hello to getAll": statistics.median(got)}


def _chats(host: Host, chats: list[str], runs: int) -> Measured:
    """Opening and growing chats: first each a first time, then one of them again and again."""

    def opened(number: int) -> None:
        host.request("sessions.load", id=chats[number % len(chats)])
        host.request("history.get", pixels="thumbnail")

    def new(number: int) -> None:
        host.request("history.clear")
        host.request("history.append", message=_question(number))

    def append(number: int) -> None:
        host.request("history.append", message=_question(number))

    def delete(number: int) -> None:
        host.request("sessions.delete", ids=[chats[number]])

    figures = {"open a chat, the first time": _median(host, opened, len(chats))}
    host.request("sessions.load", id=chats[0])
    append(0)  # the index as it was set gives way to the rows: once in a store
    figures["append a message"] = _median(host, append, runs)
    figures["a new chat's first question"] = _median(host, new, runs)
    figures["delete a chat"] = _median(host, delete, len(chats))
    return figures


def _searches(host: Host, runs: int) -> Measured:
    samples: list[float] = []
    slowest = ("", 0.0)
    for name, query in queries(Corpus(CORPUS_SEED)).items():
        times = _times(host, partial(_search, host, query), min(runs, MOST_RUNS_A_QUERY))
        samples += times
        slowest = max(slowest, (name, statistics.median(times)), key=lambda found: found[1])
    say(f"  the slowest query is {slowest[0]}: {slowest[1]:.0f} ms")
    ordered = sorted(samples)
    return {"search, median": statistics.median(ordered), "search, p95": ordered[int(0.95 * len(ordered))]}


def _search(host: Host, query: str, _number: int) -> None:
    host.request("sessions.list", query=query, limit=PAGE)


def _question(number: int) -> dict[str, Any]:
    return {
        "role": "user",
        "content": f"What about number {number}? " + "Some more words of an ordinary question. " * 5,
    }


def _median(host: Host, work: Callable[[int], object], runs: int) -> float:
    return statistics.median(_times(host, work, runs))


def _times(host: Host, work: Callable[[int], object], runs: int) -> list[float]:
    times = []
    for number in range(runs):
        before = _used_ms(host)
        work(number)
        times.append(_used_ms(host) - before)
    return times


def _used_ms(host: Host) -> float:
    """Processor time so far: the clock that clock_getcpuclockid(3) names, which Python has no call for."""
    if sys.platform == "linux":
        return time.clock_gettime_ns(~host.pid << 3 | _CPUCLOCK_SCHED) / 1e6
    return time.perf_counter() * 1000


def _memory_mb(host: Host) -> float:
    """What the host holds in memory, of which the system could take back what is read from files."""
    status = Path(f"/proc/{host.pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1000 if found else float("nan")
