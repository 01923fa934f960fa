"""`round_trip`: a request to the host and its reply, beside the smallest echo host that can be written in Python."""

from tasks.bench import limit
from tasks.bench.figures import Comparison, Figure, Table
from tasks.bench.worker import OURS, THEIRS, worker

PEER = "the smallest echo host"
PING = "ping"
GET = "Sidekeep's area: get of one key"
BROWSER = "chrome.storage.local.get of one key"
WORK = "a request from the worker to the host and back"
TIMES = 20


def measure(runs: int) -> Table:
    """A request that does nothing and one that reads the store; the browser's own area beside. Raises TaskError."""
    works = {
        PEER: "await echo({jsonrpc: '2.0', id: 1, method: 'ping', params: {}})",
        PING: "await sidekeep.request('ping')",
        GET: f"await {OURS}.get('theme')",
        BROWSER: f"await {THEIRS}.get('theme')",
    }
    with worker() as started:
        started.set_both({"theme": "dark"})
        limit.open_port(started, "echo")
        samples = started.timed(works, runs, times=TIMES)
    figures = tuple(Figure(name, samples[name]) for name in (PING, GET, BROWSER))
    goal = Comparison(PING, PEER, at_most=1.3)
    return Table("round_trip", WORK, Figure(PEER, samples[PEER]), figures, (goal, Comparison(GET, PEER)))
