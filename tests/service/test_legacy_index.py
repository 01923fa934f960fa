"""The older form of `savedSessions`, with the chats' messages in it, becomes bodies of their own, once, whoever comes first."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support.statements import cut_at_every_statement
from tests.support.stores import OWN, archived, chat_texts, live_texts, open_services, say

from sidekeep.service.services import Services

LEGACY: list[dict[str, Any]] = [
    {"id": "one", "name": "First", "createdAt": 5, "pinned": True, "history": [say("q1"), say("a1", role="assistant")]},
    {"id": "two", "name": "Second", "createdAt": 6, "pinned": False, "history": [say("q2", odd=[1])]},
    {"id": "three", "name": "Light", "createdAt": 7, "pinned": False, "textDigest": "x"},
]


def sessions(services: Services) -> dict[str, tuple[str, bool, int]]:
    """Name, pin and number of messages of every chat."""
    found = services.chats.page(OWN, limit=99, offset=0).chats
    return {chat.id: (chat.name, chat.pinned, size.messages) for chat, size in found}


EXPECTED = {"one": ("First", True, 2), "two": ("Second", False, 1), "three": ("Light", False, 0)}

CALLS: dict[str, Callable[[Services], Any]] = {
    "list": lambda services: services.chats.page(OWN, limit=9, offset=0),
    "get": lambda services: services.chats.get(OWN, "one", "none"),
    "rename": lambda services: services.chats.rename(OWN, "one", "First"),
    "pin": lambda services: services.chats.pin(OWN, "one", pinned=True),
    "move": lambda services: services.chats.move(OWN, "one", None),
    "a message": lambda services: services.conversation.append(OWN, say("page", attachId="x")),
}


def test_until_somebody_needs_the_chats_it_reads_back_as_it_was_set(services: Services) -> None:
    services.area.set(OWN, {"savedSessions": LEGACY})
    assert orjson.loads(services.area.get(OWN, ["savedSessions"])["savedSessions"]) == LEGACY
    assert services.area.get(OWN, ["session_one"]) == {}


@pytest.mark.parametrize("call", CALLS)
def test_whoever_needs_the_chats_first_moves_the_messages_to_bodies(services: Services, call: str) -> None:
    services.area.set(OWN, {"savedSessions": LEGACY})
    CALLS[call](services)
    services.conversation.append(OWN, say("question"))  # a conversation changes: the key is made from the entries
    found = {chat_id: what for chat_id, what in sessions(services).items() if chat_id in EXPECTED}
    assert found == EXPECTED
    assert chat_texts(services, "one") == ["q1", "a1"]
    body = orjson.loads(services.area.get(OWN, ["session_two"])["session_two"])
    assert body == [{"role": "user", "content": "q2", "odd": [1]}], "verbatim"
    index = orjson.loads(services.area.get(OWN, ["savedSessions"])["savedSessions"])
    assert all("history" not in item and "textDigest" in item for item in index)


def test_loading_and_saving_go_through_it_too(services: Services) -> None:
    services.area.set(OWN, {"savedSessions": LEGACY})
    assert services.chats.load(OWN, "one") == 2
    assert live_texts(services) == ["q1", "a1"]


def test_a_second_time_there_is_nothing_to_do(services: Services) -> None:
    services.area.set(OWN, {"savedSessions": LEGACY})
    sessions(services)
    before = _rows(services)
    assert sessions(services) == EXPECTED
    assert _rows(services) == before


def test_set_once_more_it_counts_once_more_and_the_bodies_before_are_archived(services: Services) -> None:
    services.area.set(OWN, {"savedSessions": LEGACY})
    sessions(services)
    services.area.set(OWN, {"savedSessions": [{**LEGACY[0], "history": [say("another")]}]})
    assert sessions(services) == {"one": ("First", True, 1)}
    assert archived(services) == [("deleted", ["q1", "a1"])]
    assert orjson.loads(services.area.get(OWN, ["session_two"])["session_two"]), (
        "an entry that is dropped deletes no body"
    )


def test_a_history_of_another_shape_is_kept_for_whoever_can_read_it(services: Services) -> None:
    odd = [{"id": "odd", "name": "Odd", "createdAt": 1, "pinned": False, "history": ["not a message"]}]
    services.area.set(OWN, {"savedSessions": odd})
    assert sessions(services)["odd"] == ("Odd", False, 0)
    assert orjson.loads(services.area.get(OWN, ["session_odd"])["session_odd"]) == ["not a message"]


def test_messages_are_kept_whatever_their_entry_looks_like(services: Services) -> None:
    index = [
        None,
        {"id": 7, "name": "A number", "pinned": True, "history": [say("q7")]},
        {"name": "No id", "history": [say("q8")]},
        {"id": "", "name": "An empty one", "history": [say("q9")]},
        {"id": "light"},
        LEGACY[0],
    ]
    services.area.set(OWN, {"savedSessions": index})
    assert sorted(sessions(services).values()) == [
        ("", False, 0),
        ("A number", True, 1),
        ("An empty one", False, 1),
        ("First", True, 2),
        ("No id", False, 1),
    ]
    assert chat_texts(services, "7") == ["q7"]


def test_the_browsers_own_older_index_is_taken_over(services: Services) -> None:
    services.adoption.finish(OWN, {"savedSessions": LEGACY})
    assert sessions(services) == EXPECTED
    assert chat_texts(services, "two") == ["q2"]


def test_cut_off_anywhere_the_old_form_or_the_new_one_is_there(tmp_path: Path) -> None:
    def prepare(home: Path) -> None:
        with open_services(home) as services:
            services.area.set(OWN, {"savedSessions": LEGACY})

    def check(home: Path) -> None:
        with open_services(home) as services:
            stored = services.area.get(OWN, ["savedSessions", "session_one"])
            assert ("session_one" in stored) != (b'"history"' in stored["savedSessions"])
            assert sessions(services) == EXPECTED

    cut_at_every_statement(tmp_path, prepare, sessions, check)


def _rows(services: Services) -> list[Any]:
    with services.database.reading() as tx:
        return tx.execute("SELECT * FROM transcript_events ORDER BY session_id, seq").fetchall()
