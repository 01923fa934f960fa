"""`append` and `area_append`: one message more where 300 and 8 MB of pictures are stored, in the extension's worker."""

from tasks.bench.conversations import MESSAGES, PICTURES, conversation
from tasks.bench.figures import Comparison, Figure, Table
from tasks.bench.worker import OURS, THEIRS, worker

PEER = "chrome.storage.local: get, push, set"
APPEND = "history.append"
AREA = "Sidekeep's area: get, push, set"
WORK = "a message more, with 300 messages and 8 MB of pictures stored"
# What a sample leaves behind, 8 MB of garbage and a database that is still being written, is not the next one's.
REST_MS = 200
MESSAGE = "{role: 'user', content: 'A question of some words. '.repeat(8), createdAt: Date.now()}"


def measure(runs: int, *, messages: int = MESSAGES, pictures: int = PICTURES) -> Table:
    """history.append beside the browser's get, push and set. Raises TaskError."""
    ours = f"await sidekeep.request('history.append', {{message: {MESSAGE}}})"
    return _measured("append", APPEND, ours, 1 / 200, runs, messages, pictures)


def measure_area(runs: int, *, messages: int = MESSAGES, pictures: int = PICTURES) -> Table:
    """The area's own get, push and set beside the browser's. Raises TaskError."""
    return _measured("area_append", AREA, _get_push_set(OURS), 1, runs, messages, pictures)


def _measured(
    name: str, figure: str, statements: str, at_most: float, runs: int, messages: int, pictures: int
) -> Table:
    with worker() as started:
        started.set_both({"history": conversation(messages, pictures)})
        samples = started.timed({PEER: _get_push_set(THEIRS), figure: statements}, runs, rest_ms=REST_MS)
    goal = Comparison(figure, PEER, at_most=at_most)
    return Table(name, WORK, Figure(PEER, samples[PEER]), (Figure(figure, samples[figure]),), (goal,))


def _get_push_set(area: str) -> str:
    return f"const {{history}} = await {area}.get('history'); history.push({MESSAGE}); await {area}.set({{history}})"
