"""Fills a store with a share of ten years, in the host's own Python: `python -m tasks.simulate.fill HOME MESSAGES PICTURES`.

Everything goes through the host's services, as the storage area's `session_<id>` keys bring it: rows, pictures cut out and
examined, the search index, changes. Only the batches are larger than a person's.
"""

import base64
import io
import math
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from sidekeep import paths
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.service.models import Models
from sidekeep.service.services import Services
from sidekeep.settings.model import Settings
from sidekeep.store import search_index
from sidekeep.store.checkpoint import Checkpointer
from sidekeep.store.database import Database
from tasks.bench.corpus import Corpus
from tasks.simulate.growth import CORPUS_SEED

YEARS = 10
SPAN_MS = YEARS * 365 * 86_400_000
FIRST_MS = 1_480_000_000_000
# Chats are of all lengths: the median has 20 messages, the mean 40.
CHAT_MEDIAN, CHAT_SIGMA, CHAT_MOST = 20, math.sqrt(2 * math.log(2)), 2_000
# Every fiftieth message brings a page along.
PAGE_EVERY, PAGE_CHARS = 50, 20_000
# Every tenth brings a picture: 350 KB in the median, 500 in the mean. With 1,000,000 messages that is 50 GB.
PICTURE_EVERY, PICTURE_MEDIAN, PICTURE_SIGMA = 10, 350_000, math.sqrt(2 * math.log(10 / 7))
PICTURE_LEAST, PICTURE_MOST = 40_000, 8_000_000
PICTURE_SIZE = (1200, 750)
BATCH_MESSAGES = 500
INDEXED_BYTES = 10_000_000
SAY_EVERY_S = 15


def main(home: Path, messages: int, *, pictures: bool) -> None:
    """Fill the store in `home`; what it does is told on stderr."""
    database = Database(paths.database(paths.ensure_private(home)))
    checkpointer = Checkpointer(database, paths.locks(home))
    clock = _Clock(messages)
    services = Services(database, home, Models(home, Settings()), clock=clock)
    scope = Scope(SIDEKEEP, "one")
    people = _Person(pictures=pictures)
    said = time.monotonic()
    index: list[dict[str, Any]] = []
    for batch in _batches(people, messages):
        items = {}
        for chat in batch:
            index.append({"id": f"{len(index)}", "name": people.name(), "createdAt": clock(), "pinned": False})
            items[f"session_{index[-1]['id']}"] = [message | {"createdAt": clock.next()} for message in chat]
        services.area.set(scope, items)
        if time.monotonic() - said > SAY_EVERY_S:
            said = time.monotonic()
            print(f"  {clock.given} of {messages} messages", file=sys.stderr, flush=True)
    services.area.set(scope, {"savedSessions": index})
    _index(database)
    checkpointer.close()
    database.close()


def _index(database: Database) -> None:
    """What a host does in quiet moments: there were many in ten years."""
    is_behind = True
    while is_behind:
        with database.transaction() as tx:
            search_index.catch_up(tx, INDEXED_BYTES)
            is_behind = search_index.is_behind(tx)


class _Clock:
    """Ten years, spread over the messages."""

    def __init__(self, messages: int) -> None:
        self._step_ms = SPAN_MS / messages
        self.given = 0

    def __call__(self) -> int:
        return FIRST_MS + int(self.given * self._step_ms)

    def next(self) -> int:
        self.given += 1
        return self()


class _Person:
    """Somebody's chats, the same at every run but for the pictures' bytes."""

    def __init__(self, *, pictures: bool) -> None:
        self._rolls = random.Random(CORPUS_SEED)  # noqa: S311  nothing secret
        self._corpus = Corpus(CORPUS_SEED)
        self._texts = self._corpus.messages(sys.maxsize)
        self._canvases = [_canvas(number) for number in range(8)] if pictures else []

    def chat(self) -> list[dict[str, Any]]:
        """A chat of questions and answers."""
        length = int(self._rolls.lognormvariate(math.log(CHAT_MEDIAN), CHAT_SIGMA))
        return [self._message(number) for number in range(min(max(2, length), CHAT_MOST))]

    def name(self) -> str:
        return next(self._texts)[:40]

    def _message(self, number: int) -> dict[str, Any]:
        role = "assistant" if number % 2 else "user"
        text = self._page() if self._rolls.randrange(PAGE_EVERY) == 0 else next(self._texts)
        if not self._canvases or self._rolls.randrange(PICTURE_EVERY):
            return {"role": role, "content": text}
        picture = {"type": "image_url", "image_url": {"url": self._picture()}}
        return {"role": role, "content": [{"type": "text", "text": text}, picture]}

    def _page(self) -> str:
        pieces, room = [], PAGE_CHARS
        while room > 0:
            pieces.append(next(self._texts))
            room -= len(pieces[-1])
        return "\n".join(pieces)

    def _picture(self) -> str:
        """A photograph that nothing can make smaller: a JPEG, and behind its end noise up to a photograph's size."""
        wanted = self._rolls.lognormvariate(math.log(PICTURE_MEDIAN), PICTURE_SIGMA)
        wanted = int(min(max(PICTURE_LEAST, wanted), PICTURE_MOST))
        canvas = self._rolls.choice(self._canvases)
        data = canvas + os.urandom(max(16, wanted - len(canvas)))
        return "data:image/jpeg;base64," + base64.b64encode(data).decode("ascii")


def _canvas(number: int) -> bytes:
    out = io.BytesIO()
    Image.effect_noise(PICTURE_SIZE, 10 + number).convert("RGB").save(out, "JPEG", quality=10)
    return out.getvalue()


def _batches(people: _Person, messages: int) -> Iterator[list[list[dict[str, Any]]]]:
    """Chats until there are so many messages, as many at once as make a batch."""
    batch: list[list[dict[str, Any]]] = []
    given = waiting = 0
    while given < messages:
        chat = people.chat()[: messages - given]
        given, waiting = given + len(chat), waiting + len(chat)
        batch.append(chat)
        if waiting >= BATCH_MESSAGES or given == messages:
            yield batch
            batch, waiting = [], 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), pictures=sys.argv[3] == "pictures")
