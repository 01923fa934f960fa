"""200 chats of 1 MB in both areas: made once a run of the bench, then copied to whoever needs them."""

import atexit
import functools
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks import vendor
from tasks.bench.conversations import CHAT_BYTES, CHAT_MESSAGES, chats
from tasks.bench.indexed import wait_until_indexed
from tasks.bench.worker import Place, place, settle
from tasks.say import say

CHATS = 200


@contextmanager
def library(count: int = CHATS, *, size: int = CHAT_BYTES, messages: int = CHAT_MESSAGES) -> Iterator[Place]:
    """A place with so many chats, `session_0` and so on, in both areas. Raises TaskError."""
    with place(_made(count, size, messages)) as made:
        yield made


@functools.cache
def _made(count: int, size: int, messages: int) -> Path:
    folder = tempfile.TemporaryDirectory(prefix="sidekeep-bench-")  # kept until the run ends
    atexit.register(folder.cleanup)
    vendor.ensure()
    started = time.perf_counter()
    made = Place(Path(folder.name))
    made.make()
    with made.worker() as worker:
        settle(worker)
        for number, chat in enumerate(chats(count, size=size, messages=messages)):
            worker.set_both({f"session_{number}": chat})
        index = [{"id": str(number), "name": f"Chat {number}", "createdAt": number} for number in range(count)]
        worker.set_both({"savedSessions": index})
        wait_until_indexed(made.home)
    say(f"{count} chats of {size / 1e6:g} MB were stored in both areas in {time.perf_counter() - started:.0f} s.")
    return Path(folder.name)
