"""Texts get their grams while nobody waits, whoever wrote them, and a search is whole at every moment before."""

import threading

import apsw
import pytest
from tests.support.stores import OWN, say

from sidekeep.domain import search_text
from sidekeep.service import finding, indexing
from sidekeep.service.indexing import QUIET_S, Indexing
from sidekeep.service.services import Services
from sidekeep.store import search_index
from sidekeep.store.database import Database


def _append(services: Services, *texts: str) -> None:
    for text in texts:
        services.conversation.append(OWN, say(text))


def _found(services: Services, typed: str) -> int:
    with services.database.reading() as tx:
        return len(finding.find(tx, OWN.namespace, search_text.parse(typed), None).matches)


def _is_behind(database: Database) -> bool:
    with database.reading() as tx:
        assert list(search_index.complaints(tx)) == []
        return search_index.is_behind(tx)


def test_what_waits_is_indexed_in_portions_and_found_all_along(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "PORTION_BYTES", 1)
    _append(services, "first", "a heron", "an owl")
    found: list[int] = []

    def pause(_seconds: float) -> None:
        found.append(_found(services, "heron"))
        assert _found(services, "raven") == 0

    Indexing(services.database, lambda: QUIET_S, pause).look()
    assert found == [1, 1, 1], "one portion a message, with a pause after each"
    assert not _is_behind(services.database)
    assert _found(services, "heron") == 1


def test_nothing_is_indexed_while_something_is_asked(services: Services) -> None:
    _append(services, "a heron")
    quiet_s = [0.0]
    behind: list[bool] = []

    def pause(_seconds: float) -> None:
        behind.append(_is_behind(services.database))
        quiet_s[0] = QUIET_S if len(behind) > 2 else 0.0

    Indexing(services.database, lambda: quiet_s[0], pause).look()
    assert behind == [True, True, True, False]


def test_two_hosts_share_the_work(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "PORTION_BYTES", 1)
    _append(services, *(f"heron {number}" for number in range(40)))
    hosts = [threading.Thread(target=Indexing(services.database, lambda: QUIET_S).look) for _ in range(2)]
    for host in hosts:
        host.start()
    _append(services, *(f"owl {number}" for number in range(40)))
    for host in hosts:
        host.join()
    Indexing(services.database, lambda: QUIET_S).look()
    assert not _is_behind(services.database)


def test_a_store_that_is_held_is_indexed_after_it(services: Services) -> None:
    """The thread's own transaction meets a lock that stays longer than it waits."""
    _append(services, "a heron")
    services.database.never_wait()
    assert services.database.path is not None
    other = apsw.Connection(str(services.database.path))
    other.execute("BEGIN IMMEDIATE")
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            other.execute("ROLLBACK")

    Indexing(services.database, lambda: QUIET_S, pause).look()
    other.close()
    assert len(pauses) == 3
    assert not _is_behind(services.database)
