"""`growth`: one store at 1x, 10x and 100x the chats, and what each work takes on it: up to 100,000 messages, 200 MB."""

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tasks.bench.corpus import Corpus
from tasks.bench.figures import Growth, grown, interleaved, ms_since
from tasks.bench.host import Host
from tasks.bench.indexed import wait_until_indexed
from tasks.say import say

# Chats of 100 messages, of which every tenth has a picture of 15 KB.
SIZES = (10, 100, 1_000)
MESSAGES = 100
PICTURE_CHARS = 20_000
# As the extension asks while nobody listens for their values: a listener is told the whole index at each change.
HEAVY_KEYS = ["history", "savedSessions", "session_*"]
# Set as a panel sets them: reading a settings.toml takes a start 100 ms, whatever is stored.
NO_LIMITS = {"limits.chats": 0, "limits.messages": 0}
WORK = "What works take as the store grows"
START = "start: spawn to hello"
# The rest is asked of a host that runs, over its pipe.
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "append to a chat": ("history.append", {"message": {"role": "user", "content": "One more question."}}),
    "light keys (getAll)": ("storage.getAll", {}),
    "open a chat of 100": ("sessions.get", {"id": "1", "pixels": "thumbnail"}),
    "list of 50 chats": ("sessions.list", {"limit": 50}),
    "search for a word": ("sessions.list", {"query": "xylophone", "limit": 50}),
    "rename a chat": ("sessions.rename", {"id": "1", "name": "Renamed"}),
}


def measure(runs: int, *, sizes: Sequence[int] = SIZES) -> Growth:
    """Medians of `runs` at each size of the same store. Raises TaskError."""
    samples = []
    with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
        home = Path(folder)
        corpus = Corpus()
        for before, size in zip((0, *sizes), sizes, strict=False):
            started = time.perf_counter()
            with Host(home) as host:
                host.hello()
                host.request("storage.watch", keys=HEAVY_KEYS, values=False)
                host.request("settings.set", settings=NO_LIMITS)
                _fill(host, corpus, range(before, size))
                say(f"{size} chats are stored after {ms_since(started) / 1000:.0f} s more.")
                wait_until_indexed(home)
                works = {name: _asked(host, name) for name in ASKED}
                samples.append(interleaved({START: lambda: _start(home), **works}, runs))
    axis = f"chats stored, of {MESSAGES} messages each"
    return grown("growth", work=WORK, axis=axis, sizes=sizes, samples=samples)


def _fill(host: Host, corpus: Corpus, numbers: range) -> None:
    """Chats of texts that differ, each with pictures of its own; the first is the live conversation too."""
    for number in numbers:
        body = [
            _message(place, text, f"{number}-{place}" if place % 10 == 0 else "")
            for place, text in enumerate(corpus.messages(MESSAGES))
        ]
        host.request("storage.set", items={f"session_{number}": body, **({"history": body} if number == 0 else {})})
    index = [{"id": str(number), "name": f"Chat {number}", "createdAt": number} for number in range(numbers.stop)]
    host.request("storage.set", items={"savedSessions": index})


def _message(place: int, text: str, picture: str) -> dict[str, Any]:
    if not picture:
        return {"role": "assistant" if place % 2 else "user", "content": text}
    url = f"data:image/png;base64,{picture.replace('-', '/').ljust(PICTURE_CHARS, 'A')}"
    return {
        "role": "user",
        "content": [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}],
    }


def _start(home: Path) -> dict[str, float]:
    started = time.perf_counter()
    with Host(home) as host:
        host.hello()
        return {START: ms_since(started)}


def _asked(host: Host, name: str) -> Callable[[], dict[str, float]]:
    method, params = ASKED[name]

    def ask() -> dict[str, float]:
        started = time.perf_counter()
        host.request(method, **params)
        return {name: ms_since(started)}

    return ask
