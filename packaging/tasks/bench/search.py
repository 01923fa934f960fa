"""`search`: sessions.list with a query over 100,000 messages in 200 chats, beside reading all chats to look for the word."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tasks.bench.corpus import Corpus
from tasks.bench.figures import Comparison, Figure, Table, interleaved, ms_since
from tasks.bench.host import Host
from tasks.bench.indexed import wait_until_indexed
from tasks.say import say

CHATS = 200
MESSAGES = 500
PEER = "reading 200 chats"
WORD = "a word, in some chats"
# Of the slowest query, by its 95th percentile.
MAX_MS = 10
WORK = "a search in 100,000 messages of 200 chats"
NO_LIMITS = "[limits]\nchats = 0\nmessages = 0\n"


def measure(runs: int, *, chats: int = CHATS, messages: int = MESSAGES) -> Table:
    """The time from a request to its reply, for many kinds of query. Raises TaskError."""
    with tempfile.TemporaryDirectory(prefix="sidekeep-bench-") as folder:
        home = Path(folder)
        (home / "settings.toml").write_text(NO_LIMITS, encoding="utf-8")
        corpus = Corpus()
        with Host(home) as host:
            host.hello()
            ids = _fill(host, corpus, chats, messages)
            wait_until_indexed(home)
            asked = queries(corpus)
            word = asked[WORD]
            searches = {name: _search(host, name, query) for name, query in asked.items()}
            samples = interleaved({PEER: lambda: _read_all(host, ids, word), **searches}, runs)
    figures = tuple(Figure(name, samples[name]) for name in asked)
    slowest = max(figures, key=lambda figure: figure.p95)
    goals = (Comparison(WORD, PEER, at_most=1 / 20), Comparison(slowest.name, at_most=MAX_MS, by="p95"))
    return Table("search", WORK, Figure(PEER, samples[PEER]), figures, goals)


def _fill(host: Host, corpus: Corpus, chats: int, messages: int) -> list[str]:
    """Saved chats, as the storage area takes them. Returns their ids."""
    started = time.perf_counter()
    ids: list[str] = []
    for number in range(chats):
        texts = corpus.messages(messages)
        roles = ("user", "assistant") * messages
        body = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
        host.request("storage.set", items={f"session_{number}": body})
        ids.append(str(number))
    index = [{"id": name, "name": f"Chat {name}", "createdAt": int(name), "pinned": False} for name in ids]
    host.request("storage.set", items={"savedSessions": index})
    found = host.request("sessions.list", limit=1)["total"]
    say(f"{found} chats with {found * messages} messages were stored in {time.perf_counter() - started:.0f} s.")
    return ids


def queries(corpus: Corpus) -> dict[str, str]:
    """Queries of every kind, by what they are."""
    latin, cyrillic = corpus.latin, corpus.cyrillic
    rare, common = latin[len(latin) // 2], latin[3]
    return {
        "a word, in every chat": common,
        WORD: rare,
        "a word, in no chat": "xylophone",
        "two words": f"{common} {rare}",
        "a phrase of common words": f"{latin[0]} {latin[1]} {latin[2]}",
        "a Cyrillic word": cyrillic[300],
        "two Chinese characters": "日本",
        "one Chinese character": chr(0x4E00 + 40),
        "C++": "C++",
        "naive": "naive",
        "a number sign": "#123",
        "part of an address": "org/wiki/page-12",
        "an emoji": "🎉",
        "one letter": "e",
        "two letters": "st",
        "two rare letters": "qz",
        "a sharp s in capitals": "STRASSE",
        "a name": "Chat 7",
        "10,000 characters": " ".join(latin[:3000])[:10_000],
    }


def _search(host: Host, name: str, query: str) -> Callable[[], dict[str, float]]:
    def search() -> dict[str, float]:
        started = time.perf_counter()
        host.request("sessions.list", query=query)
        return {name: ms_since(started)}

    return search


def _read_all(host: Host, ids: list[str], word: str) -> dict[str, float]:
    started = time.perf_counter()
    chats = (host.request("sessions.get", id=chat_id, pixels="none") for chat_id in ids)
    sum(any(word in message["content"] for message in chat["messages"]) for chat in chats)
    return {PEER: ms_since(started)}
