"""`cold_write`: the first write after the browser has started, the host's own start included, with 200 chats of 1 MB stored."""

from tasks.bench.figures import Comparison, Figure, Table, interleaved
from tasks.bench.library import CHATS, library
from tasks.bench.worker import OURS, THEIRS

PEER = "chrome.storage.local.set"
FIRST = "Sidekeep's area: set"
WORK = "the first write after the browser's start, with 200 chats of 1 MB"
# A start of the browser takes seconds.
RUNS = 15


def measure(runs: int, *, chats: int = CHATS) -> Table:
    """One sample of each a start of the browser. Raises TaskError."""
    with library(chats) as place:

        def start() -> dict[str, float]:
            with place.worker() as worker:
                return {
                    FIRST: worker.ms(f"await {OURS}.set({{theme: String(performance.now())}})"),
                    PEER: worker.ms(f"await {THEIRS}.set({{theme: String(performance.now())}})"),
                }

        samples = interleaved({"start": start}, min(runs, RUNS))
    goal = Comparison(FIRST, PEER, at_most=1 / 40)
    return Table("cold_write", WORK, Figure(PEER, samples[PEER]), (Figure(FIRST, samples[FIRST]),), (goal,))
