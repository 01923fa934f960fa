"""`append` and `area_append`: one message more where 300 and 8 MB of pictures are stored, in the extension's worker."""

from collections.abc import Mapping

from tasks.bench import limit
from tasks.bench.conversations import MESSAGES, PICTURES, conversation
from tasks.bench.figures import Comparison, Figure, Table
from tasks.bench.worker import OURS, THEIRS, worker

PEER = "chrome.storage.local: get, push, set"
APPEND = "history.append"
LEAST = "the smallest host: the message committed as a row, and back"
WHY_NOT = (
    "the smallest host that keeps the message in a table of its own and answers, in the last row, is what no other can be faster "
    "than; the rest makes of it a conversation, a saved chat and what other windows hear, in one commit"
)
AREA = "Sidekeep's area: get, push, set"
WORK = "a message more, with 300 messages and 8 MB of pictures stored"
# What a sample leaves behind, 8 MB of garbage and a database that is still being written, is not the next one's.
REST_MS = 200
MESSAGE = "{role: 'user', content: 'A question of some words. '.repeat(8), createdAt: Date.now()}"


def measure(runs: int, *, messages: int = MESSAGES, pictures: int = PICTURES) -> Table:
    """history.append beside the browser's get, push and set, and beside the least that a host can do. Raises TaskError."""
    params = f"{{message: {MESSAGE}}}"
    works = {
        APPEND: f"await sidekeep.request('history.append', {params})",
        LEAST: f"await self.smallest({{jsonrpc: '2.0', id: 1, method: 'history.append', params: {params}}})",
    }
    goals = (Comparison(APPEND, PEER, at_most=1 / 200, why_not=WHY_NOT), Comparison(LEAST, PEER))
    return _measured("append", works, goals, runs, messages, pictures)


def measure_area(runs: int, *, messages: int = MESSAGES, pictures: int = PICTURES) -> Table:
    """The area's own get, push and set beside the browser's. Raises TaskError."""
    goal = Comparison(AREA, PEER, at_most=1)
    return _measured("area_append", {AREA: _get_push_set(OURS)}, (goal,), runs, messages, pictures)


def _measured(
    name: str, works: Mapping[str, str], goals: tuple[Comparison, ...], runs: int, messages: int, pictures: int
) -> Table:
    with worker() as started:
        started.set_both({"history": conversation(messages, pictures)})
        limit.open_port(started, "smallest", keeps=True)
        samples = started.timed({PEER: _get_push_set(THEIRS), **works}, runs, rest_ms=REST_MS)
    return Table(name, WORK, Figure(PEER, samples[PEER]), tuple(Figure(each, samples[each]) for each in works), goals)


def _get_push_set(area: str) -> str:
    return f"const {{history}} = await {area}.get('history'); history.push({MESSAGE}); await {area}.set({{history}})"
