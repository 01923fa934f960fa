"""An import that is stopped behind any of its transactions and run again ends like one run through, in every format."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.formats import FILES, content_of
from tests.support.stores import OWN, chat_ids, open_services, plain

from sidekeep import paths
from sidekeep.domain.chat import SessionId
from sidekeep.service import import_run
from sidekeep.service.services import Services
from sidekeep.store import health, imports
from sidekeep.store.archived import Wanted


def _all_that_counts(services: Services) -> dict[str, Any]:
    """What a person sees, and what a repeated import goes by; without when and under which random ids it was archived."""
    chats = [services.chats.get(OWN, chat_id, "full") for chat_id in chat_ids(services)]
    archives, _ = services.archives.page(OWN, Wanted(), limit=-1, offset=0)
    with services.database.reading() as tx:
        assert list(health.complaints(tx)) == []
        noted = [
            (fingerprint, imports.find(tx, OWN.namespace, fingerprint), imports.kept(tx, OWN.namespace, fingerprint))
            for fingerprint, _ in imports.fingerprints(tx, OWN.namespace)
        ]
    return {
        "chats": [
            (chat._replace(session_id=SessionId(""), usage_family=(), checkpoints=()), plain(said))
            for chat, _, said in chats
        ],
        "checkpoints": [len(chat.checkpoints) for chat, _, _ in chats],
        "archives": sorted((each.name, each.part, each.evicted, each.messages) for each in archives),
        "folders": services.folders.all(OWN),
        "imports": noted,
        "evicted": services.chats.page(OWN, limit=1, offset=0).evicted[:2],
    }


@contextmanager
def _limited(home: Path) -> Iterator[Services]:
    """Services of a home in which chats and messages are few, so that an import archives, too."""
    with open_services(home) as services:
        services.settings.attach(services.database)
        services.settings.set({"limits.chats": 4, "limits.messages": 5})
        yield services


def _import_and_copy(services: Services, file: Path, homes: Path) -> list[Path]:
    """Import the file. Returns homes with the store as a process that died behind each transaction would have left it."""
    found: list[Path] = []
    path = str(services.database.path)

    def copy(*_: object) -> int:
        home = paths.ensure_private(homes / str(len(found)))
        source, target = apsw.Connection(path), apsw.Connection(str(paths.database(home)))
        with target.backup("main", source, "main") as backup:
            backup.step()
        source.close()
        target.close()
        found.append(home)
        return 0

    services.database.connection().set_wal_hook(copy)
    services.imports.run(OWN, [file])
    return found


@pytest.mark.parametrize("name", FILES)
def test_an_import_that_dies_behind_any_transaction_and_is_run_again_ends_like_one_run_through(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "export"
    file.write_bytes(content_of(name, tmp_path))
    # What says no time of its own gets the time of the import.
    monkeypatch.setattr("tests.support.stores.ticking_clock", lambda: lambda: 1_800_000_000_000)
    with monkeypatch.context() as each_alone, _limited(tmp_path / "through") as through:
        each_alone.setattr(import_run, "TOGETHER", 1)
        states = _import_and_copy(through, file, tmp_path / "states")
        expected = _all_that_counts(through)
    assert states
    for state in states[:-1]:
        with _limited(state) as again:
            again.imports.run(OWN, [file])
            assert _all_that_counts(again) == expected, state.name
