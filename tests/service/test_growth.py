"""What is written over and over takes no more room than what it is, and what grows costs no more with what is there already."""

from collections.abc import Callable
from typing import Any

import apsw
import orjson
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


STEPS_BETWEEN_LOOKS = 10


@pytest.mark.parametrize(
    ("work", "steps_a_chat"),
    [
        # It counts them: a few steps each in the index of listed chats, and twice as many, with their JSON, without it.
        pytest.param(lambda services: services.status.state(OWN), 5, id="hello's figures"),
        pytest.param(lambda services: services.conversation.append(OWN, say("one more")), 0.1, id="an append"),
    ],
)
def test_many_chats_cost_little_where_one_is_meant(
    services: Services, work: Callable[[Services], object], steps_a_chat: float
) -> None:
    services.conversation.append(OWN, say("the chat that is open"))
    _add_chats(services, 10)
    work(services)
    few = _steps(services, lambda: work(services))
    _add_chats(services, 400)
    work(services)
    assert _steps(services, lambda: work(services)) <= few + 400 * steps_a_chat


def _add_chats(services: Services, count: int) -> None:
    first = services.status.state(OWN).conversations
    index = orjson.loads(services.area.get(OWN, ["savedSessions"])["savedSessions"])
    added = [{"id": f"c{first + number}", "name": "x" * 40, "createdAt": 1, "pinned": False} for number in range(count)]
    services.area.set(OWN, {"savedSessions": [*index, *added]})


def _steps(services: Services, work: Callable[[], object]) -> int:
    """How many steps of its virtual machine SQLite takes for it, to ten: a measure that no other program changes."""
    connection: apsw.Connection = services.database.connection()
    looks = 0

    def look() -> bool:
        nonlocal looks
        looks += 1
        return False

    connection.set_progress_handler(look, STEPS_BETWEEN_LOOKS)
    try:
        work()
    finally:
        connection.set_progress_handler(None)
    return looks * STEPS_BETWEEN_LOOKS
