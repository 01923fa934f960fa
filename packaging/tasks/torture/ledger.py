"""What a host has acknowledged, and whether a store still has it.

A message that was acknowledged is somewhere for ever: in the live conversation, in a chat, in one of its checkpoints, or in an
archive, with its text and its pictures as they were. A key (a value of the area, a chat's name, a setting) has the last value
that was acknowledged, or one that was sent after it and never answered.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from sidekeep.domain.checkpoint import MAX_CHECKPOINTS
from sidekeep.store import health
from sidekeep.store.opening import opened
from tasks.torture.client import Client

THERE, GONE = "there", "gone"


@dataclass(slots=True)
class Ledger:
    """The driver's own book. Contents are known by a digest of their texts and pictures.

    `shared` are writes of keys that other hosts write too, in their order.
    """

    contents: set[str] = field(default_factory=set)
    shared: list[tuple[str, str]] = field(default_factory=list)
    _acknowledged: dict[str, Any] = field(default_factory=dict)
    _sent: dict[str, list[Any]] = field(default_factory=dict)

    def sent(self, key: str, value: Any) -> None:
        """A write of that key is on its way."""
        self._sent.setdefault(key, []).append(value)

    def acknowledged(self, key: str, value: Any) -> None:
        """It was answered: what was sent before it is over."""
        waiting = self._sent.get(key, [])
        if value in waiting:
            del waiting[: waiting.index(value) + 1]
        self._acknowledged[key] = value

    def refused(self, key: str, value: Any) -> None:
        """It was answered with an error: it is not there."""
        waiting = self._sent.get(key, [])
        if value in waiting:
            waiting.remove(value)

    def keys(self, prefix: str) -> Iterator[tuple[str, list[Any]]]:
        """Each key that was acknowledged, without its prefix, and the values that it may have."""
        for key, value in self._acknowledged.items():
            if key.startswith(prefix):
                yield key.removeprefix(prefix), [value, *self._sent.get(key, [])]

    @property
    def size(self) -> int:
        return len(self.contents) + len(self._acknowledged) + len(self.shared)


def digest(content: Any) -> str:
    """What a message says: its texts and its pictures' data URLs, whatever else the host adds to them."""
    parts: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    said = "\0".join(
        part["text"] if part["type"] == "text" else part["image_url"].get("url", "(no picture)") for part in parts
    )
    return hashlib.sha256(said.encode()).hexdigest()


def lost(home: Path, ledger: Ledger, *, profile: str) -> list[str]:
    """What the store does not have of what was acknowledged, and what is wrong with it, in words."""
    with Client(home) as host:
        host.hello(profile=profile)
        return [*_lost(host, ledger), *unsound(home)]


def unsound(home: Path) -> list[str]:
    """What is wrong with the store's pages, its rows and its pictures."""
    with opened(home, role="torture") as database, database.reading() as tx:
        pages = [str(row[0]) for row in tx.execute("PRAGMA integrity_check") if row[0] != "ok"]
        return [*pages, *(complaint.text for complaint in health.complaints(tx))]


def backups_unsound(home: Path) -> list[str]:
    """The backups that cannot be read whole."""
    wrong = []
    for file in sorted((home / "backups").glob("sidekeep-*.sqlite3")):
        connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            if connection.pragma("integrity_check") != "ok":
                wrong.append(f"the backup {file.name} is not whole")
        finally:
            connection.close()
    return wrong


def _lost(host: Client, ledger: Ledger) -> Iterator[str]:
    chats = host.request("sessions.list", limit=10_000)["sessions"]
    archives = host.request("archive.list", limit=10_000)["archives"]
    names = {chat["id"]: chat["name"] for chat in chats}
    there = set(names) | {archive["chat"] for archive in archives}
    checkpoints = {name: _checkpoints(host, name) for name in names}
    missing = ledger.contents - _contents(host, checkpoints, [archive["id"] for archive in archives])
    if missing:
        yield f"{len(missing)} of {len(ledger.contents)} acknowledged messages are lost or changed"
    for name, may in ledger.keys("chat:"):
        if (THERE not in may and name in names) or (GONE not in may and name not in there):
            yield f"a chat is {'there' if name in names else 'gone'}, and was acknowledged as {may}"
    for name, may in ledger.keys("name:"):
        if name in names and names[name] not in may:
            yield f"a chat is called {names[name]!r}, and was acknowledged as {may}"
    for name, _ in ledger.keys("checkpoint:"):
        chat, _, checkpoint = name.partition("/")
        # A chat has so many at most; what the oldest had is in the archive, and its messages are looked for there.
        if chat in names and checkpoint not in checkpoints[chat] and len(checkpoints[chat]) < MAX_CHECKPOINTS:
            yield "an acknowledged checkpoint is lost"
    items = host.request("storage.get", keys=[key for key, _ in ledger.keys("area:")])["items"]
    yield from _differ("key", ledger.keys("area:"), items)
    yield from _differ("setting", ledger.keys("setting:"), host.request("settings.get")["settings"])


def _differ(what: str, keys: Iterable[tuple[str, list[Any]]], values: dict[str, Any]) -> Iterator[str]:
    for key, may in keys:
        if values.get(key) not in may:
            yield f"the {what} {key} is {str(values.get(key))[:40]!r}, and was acknowledged as {str(may)[:80]}"


def _checkpoints(host: Client, chat: str) -> list[str]:
    return [checkpoint["id"] for checkpoint in host.request("sessions.checkpoints", id=chat)["checkpoints"]]


def _contents(host: Client, checkpoints: dict[str, list[str]], archives: list[str]) -> set[str]:
    """Everything that can be read, by its digest."""
    asked = [host.start("history.get", {"pixels": "full"})]
    for chat, its in checkpoints.items():
        asked.append(host.start("sessions.get", {"id": chat, "pixels": "full"}))
        asked += [host.start("sessions.get", {"id": chat, "checkpoint": name, "pixels": "full"}) for name in its]
    asked += [host.start("archive.get", {"id": name, "pixels": "full"}) for name in archives]
    return {digest(message["content"]) for reply in asked for message in reply.result(120)["messages"]}
