"""`browser_search`: a word in 200 chats of 1 MB, in the extension's worker, beside reading them all to look for it."""

import json

from tasks.bench.conversations import CHAT_MESSAGES, word
from tasks.bench.figures import Comparison, Figure, Table
from tasks.bench.library import CHATS, library
from tasks.bench.worker import THEIRS

PEER = "chrome.storage.local: reading every chat"
FOUND = "sessions.list with the word"
WORK = "a word in 200 chats of 1 MB"
# Reading 200 MB takes seconds.
RUNS = 15
READ_ALL = """
const word = %s;
const {savedSessions} = await %s.get("savedSessions");
const found = [];
for (const {id} of savedSessions) {
  const messages = (await %s.get(`session_${id}`))[`session_${id}`];
  const has = ({content}) => (typeof content === "string" ? content : content[0].text).toLowerCase().includes(word);
  if (messages.some(has)) found.push(id);
}
self.theirs = found.length;
"""


def measure(runs: int, *, chats: int = CHATS, messages: int = CHAT_MESSAGES) -> Table:
    """The same word on both sides, which find the same chats. Raises TaskError."""
    wanted = json.dumps(word())
    works = {
        PEER: READ_ALL % (wanted, THEIRS, THEIRS),
        FOUND: f"self.ours = (await sidekeep.request('sessions.list', {{query: {wanted}, limit: 50}})).total",
    }
    with library(chats, messages=messages) as place, place.worker() as worker:
        samples = worker.timed(works, min(runs, RUNS))
        assert worker.run("return self.ours === self.theirs"), "the two found different chats"
    goal = Comparison(FOUND, PEER, at_most=1 / 20)
    return Table("browser_search", WORK, Figure(PEER, samples[PEER]), (Figure(FOUND, samples[FOUND]),), (goal,))
