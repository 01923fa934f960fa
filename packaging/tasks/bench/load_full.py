"""`load_full`: a session of 8 MB with every pixel, and emoji in its text, to a JavaScript object.

Beside it the limit: the smallest host that Python can be, which sends the same bytes in the same parts out of its memory.
"""

import json

from tasks.bench import limit
from tasks.bench.conversations import MESSAGES, PICTURES, Message, conversation
from tasks.bench.figures import Comparison, Figure, Table
from tasks.bench.worker import OURS, THEIRS, Worker, worker

PEER = "chrome.storage.local.get"
OWN = "Sidekeep's area: get"
LIMIT = "the smallest host, the same bytes"
WORK = "a session of 8 MB, all pixels, to a JavaScript object"
AT_MOST = 1.6
WHY_NOT = (
    "the browser reads a native host's pipe in pieces of 4 KB; the smallest host that sends the same bytes, in the next row, is"
    " what no other can be faster than"
)


def measure(runs: int, *, messages: int = MESSAGES, pictures: int = PICTURES) -> Table:
    """The area's get beside the browser's, and beside the limit. Raises TaskError."""
    session = conversation(messages, pictures)
    works = {
        PEER: f"await {THEIRS}.get('session_1')",
        OWN: f"await {OURS}.get('session_1')",
        LIMIT: "await canned({})",
    }
    with worker() as started:
        started.set_both({"session_1": session})
        limit.open_port(started, "canned", _reply(session))
        _check(started)
        samples = started.timed(works, runs)
    figures = tuple(Figure(name, samples[name]) for name in (OWN, LIMIT))
    goals = (
        Comparison(OWN, PEER, at_most=AT_MOST, why_not=WHY_NOT),
        Comparison(LIMIT, PEER),
        Comparison(OWN, LIMIT),
    )
    return Table("load_full", WORK, Figure(PEER, samples[PEER]), figures, goals)


def _reply(session: list[Message]) -> list[bytes]:
    """The host's reply, in the host's own parts."""
    from sidekeep.transport.connection import DEFAULT_PART_BYTES
    from sidekeep.transport.parts import split

    reply = {"jsonrpc": "2.0", "id": 1, "result": {"items": {"session_1": session}}}
    text = json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()
    return list(split(text, DEFAULT_PART_BYTES)) if len(text) > DEFAULT_PART_BYTES else [text]


def _check(started: Worker) -> None:
    """All three give the same object, or the figures would be of different things."""
    theirs = f"JSON.stringify((await {THEIRS}.get('session_1')).session_1)"
    ours = f"JSON.stringify((await {OURS}.get('session_1')).session_1)"
    canned = "JSON.stringify((await canned({})).result.items.session_1)"
    same = started.run(f"const theirs = {theirs}; return theirs === {ours} && theirs === {canned}")
    assert same, "the three ways give different sessions"
