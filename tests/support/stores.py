"""Services over a real store, with a scripted model and a clock that ticks by itself."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import zstandard

from sidekeep import paths
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.llm.scripted import ScriptedClient
from sidekeep.llm.types import ProviderClient
from sidekeep.service.announcing import Announcer
from sidekeep.service.clock import Clock
from sidekeep.service.models import Models
from sidekeep.service.services import Services
from sidekeep.settings.model import Settings
from sidekeep.store import changes
from sidekeep.store.database import Database

OWN = Scope(SIDEKEEP, "one")
OTHER_PROFILE = Scope(SIDEKEEP, "two")
STRANGER = Scope("p" * 32, "one")
SERVER = {"kind": "openai-chat", "baseUrl": "http://127.0.0.1:9/v1", "model": "tiny"}


def ticking_clock(start_ms: int = 1_700_000_000_000) -> Clock:
    """A clock that goes on by one millisecond with each look at it."""
    ticks = itertools.count(start_ms)
    return lambda: next(ticks)


@contextmanager
def open_services(home: Path, client: ProviderClient | None = None, *, in_memory: bool = False) -> Iterator[Services]:
    """Services over a store in `home`, or over one in memory. The active provider is a scripted one."""
    models = Models(home, Settings(), client=lambda: client or ScriptedClient())
    paths.ensure_private(home)
    database = Database(None if in_memory else paths.database(home))
    services = Services(database, home, models, clock=ticking_clock())
    services.area.set(OWN, {"providers": {"test": SERVER}, "activeProvider": "test"})
    try:
        yield services
    finally:
        database.close()


def say(text: str | list[dict[str, Any]], *, role: str = "user", **fields: Any) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content": text, **fields}


def plain(value: Any) -> Any:
    """What a reply looks like on the other side of the wire."""
    return orjson.loads(orjson.dumps(value))


def live_messages(services: Services, scope: Scope = OWN) -> list[dict[str, Any]]:
    """The live conversation, without pixels."""
    found: list[dict[str, Any]] = plain(services.conversation.get(scope, "none")[0])
    return found


def live_texts(services: Services, scope: Scope = OWN) -> list[Any]:
    return [message["content"] for message in live_messages(services, scope)]


def chat_texts(services: Services, chat_id: str, scope: Scope = OWN) -> list[Any]:
    """What a saved chat holds."""
    return [message["content"] for message in plain(services.chats.get(scope, chat_id, "none")[2])]


def chat_ids(services: Services, scope: Scope = OWN) -> list[str]:
    """Every saved chat, latest activity first."""
    return [chat.id for chat, _ in services.chats.page(scope, limit=1000, offset=0).chats]


def archived(services: Services) -> list[tuple[str, list[Any]]]:
    """Every archive: its reason, and the contents of its messages."""
    with services.database.reading() as tx:
        records: list[Any] = tx.execute("SELECT reason, record FROM archives ORDER BY archived_at_ms").fetchall()
    found = []
    for reason, record in records:
        messages = orjson.loads(zstandard.decompress(record))["messages"]
        found.append((reason, [orjson.loads(message["body"])["content"] for message in messages]))
    return found


def listen(services: Services, scope: Scope = OWN) -> Callable[[], list[dict[str, Any]]]:
    """From now on collect what is announced to a client of `scope`; the function returned gives it and begins anew."""
    heard: list[dict[str, Any]] = []
    announcer = Announcer(services.database, scope, None, is_spared=lambda _key: False, deliver=heard.append)

    def taken() -> list[dict[str, Any]]:
        announcer.written()
        announced: list[dict[str, Any]] = plain(heard)
        heard.clear()
        return announced

    return taken


def prune(services: Services) -> None:
    """Forget every change there was, and the rows that only changes still named."""
    with services.database.transaction() as tx:
        changes.prune(tx, 2**62)


def rows(services: Services, table: str) -> int:
    """How many rows a table has."""
    with services.database.reading() as tx:
        return int(next(tx.execute(f"SELECT count(*) FROM {table}"))[0])
