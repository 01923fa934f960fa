"""`cold_write`: the first write after the browser has started, the host's own start included, with 200 chats of 1 MB stored.

Beside it the limit: the smallest host that Python can be, started and heard once.
"""

from collections import deque

from tasks.bench import limit
from tasks.bench.figures import Comparison, Figure, Table, interleaved
from tasks.bench.library import CHATS, library
from tasks.bench.worker import OURS, THEIRS

PEER = "chrome.storage.local.set"
FIRST = "Sidekeep's area: set"
LEAST = "the smallest host: start, and one message back"
WORK = "the first write after the browser's start, with 200 chats of 1 MB"
# A start of the browser takes seconds.
RUNS = 15
START_LIMIT = (
    "of this no program can save the last row, the start of Python's smallest host; the rest is Sidekeep's own start, "
    "its modules and SQLite, and the write"
)


def measure(runs: int, *, chats: int = CHATS) -> Table:
    """One sample of each a start of the browser; they take turns in being the first after it. Raises TaskError."""
    with library(chats) as place:
        name = limit.install(place.profile, "cold")
        works = deque(
            {
                FIRST: f"await {OURS}.set({{theme: String(performance.now())}})",
                PEER: f"await {THEIRS}.set({{theme: String(performance.now())}})",
                LEAST: limit.once(name),
            }.items()
        )

        def start() -> dict[str, float]:
            works.rotate()
            with place.worker() as worker:
                return {each: worker.ms(statements) for each, statements in works}

        samples = interleaved({"start": start}, min(runs, RUNS))
    goals = (Comparison(FIRST, PEER, at_most=1 / 40, why_not=START_LIMIT), Comparison(LEAST, PEER))
    figures = tuple(Figure(each, samples[each]) for each in (FIRST, LEAST))
    return Table("cold_write", WORK, Figure(PEER, samples[PEER]), figures, goals)
