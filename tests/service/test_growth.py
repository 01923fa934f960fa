"""What is written over and over takes no more room than what it is."""

from typing import Any

import pytest
from tests.support.stores import OWN, rows, say

from sidekeep.service.services import Services
from sidekeep.store import changes


def test_changes_are_forgotten_whatever_the_rhythm_of_writes(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "KEPT_MS", 0)
    services.area.set(OWN, {"a": -1})  # so that the writes that change nothing have the even numbers
    for number in range(4 * changes.PRUNE_EVERY):
        services.area.set(OWN, {"a": number})
        services.area.set(OWN, {"a": number})
    assert rows(services, "changes") <= 2 * changes.PRUNE_EVERY


def test_a_streaming_answer_that_is_set_with_the_whole_history_archives_what_left(services: Services) -> None:
    earlier: list[dict[str, Any]] = [say("x" * 1000) for _ in range(20)]
    for length in range(20):
        services.area.set(OWN, {"history": [*earlier, say("w" * length, role="assistant")]})
    with services.database.reading() as tx:
        (archived,) = next(tx.execute("SELECT sum(messages) FROM archives"))
    assert archived <= 20
