"""`open_panel`: what the panel reads to show a chat with 8 MB of pictures, beside what it would have to from the browser."""

import json

from sidekeep.domain.area_keys import GET_ALL_KEYS
from tasks.bench import limit
from tasks.bench.conversations import MESSAGES, PICTURES, conversation
from tasks.bench.figures import Comparison, Figure, Table
from tasks.bench.worker import THEIRS, worker

PEER = "chrome.storage.local: settings and history"
TEXT = "Sidekeep: settings, and the conversation's text"
WHOLE = "Sidekeep: settings, text, and pictures as they are shown"
WORK = "reading what the panel shows of a chat with 8 MB of pictures"
# As extension/panel/sync.js reads: text first, then pictures as thumbnails.
READ_TEXT = """await Promise.all([
  sidekeep.request('storage.getAll'), sidekeep.request('status'), sidekeep.request('turn.peek'),
  sidekeep.request('history.get', {pixels: 'none'}),
])"""
READ_PICTURES = "await sidekeep.request('history.get', {pixels: 'thumbnail'})"
LIMIT = "the smallest host: the same text, then the same pictures"
WHY_NOT = "the smallest host that sends the same bytes, in the last row, is what no other can be faster than"


def measure(runs: int, *, messages: int = MESSAGES, pictures: int = PICTURES) -> Table:
    """Text alone, and all that is shown. Raises TaskError."""
    works = {
        PEER: f"await {THEIRS}.get({json.dumps([*GET_ALL_KEYS, 'history'])})",
        TEXT: READ_TEXT,
        WHOLE: f"{READ_TEXT}; {READ_PICTURES}",
    }
    with worker() as started:
        started.set_both({"history": conversation(messages, pictures)})
        for name, pixels in (("smallest_text", "none"), ("smallest_pictures", "thumbnail")):
            read = f"return JSON.stringify({{result: await sidekeep.request('history.get', {{pixels: '{pixels}'}})}})"
            limit.open_port(started, name, [str(started.run(read)).encode()])
        works[LIMIT] = "await self.smallest_text({}); await self.smallest_pictures({})"
        samples = started.timed(works, runs)
    figures = tuple(Figure(name, samples[name]) for name in (TEXT, WHOLE, LIMIT))
    goals = (Comparison(TEXT, PEER), Comparison(WHOLE, PEER, at_most=1 / 6, why_not=WHY_NOT), Comparison(LIMIT, PEER))
    return Table("open_panel", WORK, Figure(PEER, samples[PEER]), figures, goals)
