"""`light_get`: the settings that a page reads when it opens, with no chat and with 200 chats of 1 MB stored."""

import json

from sidekeep.domain.area_keys import GET_ALL_KEYS
from tasks.bench.figures import Comparison, Figure, Table, interleaved
from tasks.bench.library import CHATS, library
from tasks.bench.worker import OURS, THEIRS, place, settle

PEER = "chrome.storage.local.get of the light keys, no chats"
PEER_FULL = "chrome.storage.local.get of the light keys, 200 chats"
NONE = "storage.getAll, no chats"
FULL = "storage.getAll, 200 chats"
AREA = "Sidekeep's area: get of the light keys, 200 chats"
WORK = "reading the settings"
# Back to back, as the browser's clock steps by 0.1 ms.
TIMES = 20


def measure(runs: int, *, chats: int = CHATS) -> Table:
    """Two browsers at once, one on each store, so that all four take turns. Raises TaskError."""
    with library(chats) as full, place() as empty, full.worker() as many, empty.worker() as none:
        settle(none)
        for worker in (many, none):
            worker.set_both({"theme": "dark", "activeModel": "gpt-4o", "activeProvider": "openai"})
        get = f"await %s.get({json.dumps(GET_ALL_KEYS)})"
        get_all = "await sidekeep.request('storage.getAll')"
        works = [
            none.sample(PEER, get % THEIRS, times=TIMES),
            none.sample(NONE, get_all, times=TIMES),
            many.sample(PEER_FULL, get % THEIRS, times=TIMES),
            many.sample(FULL, get_all, times=TIMES),
            many.sample(AREA, get % OURS, times=TIMES),
        ]
        samples = interleaved({str(number): work for number, work in enumerate(works)}, runs)
    figures = tuple(Figure(name, samples[name]) for name in (NONE, PEER_FULL, FULL, AREA))
    goals = (Comparison(FULL, PEER_FULL, at_most=2), Comparison(FULL, NONE, at_most=1.2))
    return Table("light_get", WORK, Figure(PEER, samples[PEER]), figures, goals)
