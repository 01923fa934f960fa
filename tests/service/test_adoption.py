"""What a profile kept in the browser is taken over once: whole, and never twice, wherever it is cut off."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support.killed import killed_at
from tests.support.pictures import picture, url_of
from tests.support.stores import OTHER_PROFILE, OWN, chat_ids, chat_texts, open_services, say

from sidekeep.domain.providers import provider_from
from sidekeep.errors import NotFound
from sidekeep.service.services import Services

BODIES: dict[str, Any] = {
    "1": [say("first"), say("answer", role="assistant")],
    "2": [
        say("second"),
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url_of(picture(9, 9))}}]},
    ],
    "3": "not messages at all",
}
ITEMS: dict[str, Any] = {
    "savedSessions": [
        {"id": "1", "name": "One", "createdAt": 11, "pinned": True, "textDigest": "first"},
        {"id": "2", "name": "Two", "createdAt": 22, "pinned": False, "textDigest": "second"},
    ],
    "history": [say("live"), say("talk", role="assistant")],
    "theme": "dark",
    "own": {"a": 1},
}


def _adopt(services: Services) -> None:
    for session_id, value in BODIES.items():
        services.adoption.take_body(OWN, session_id, value)
    services.adoption.finish(OWN, ITEMS)


def _chats(services: Services) -> dict[str, list[str]]:
    names = {chat.id: chat.name for chat, _ in services.chats.page(OWN, limit=100, offset=0).chats}
    return {
        name: [text if isinstance(text, str) else "(a picture)" for text in chat_texts(services, chat_id)]
        for chat_id, name in names.items()
    }


EXPECTED = {"One": ["first", "answer"], "Two": ["second", "(a picture)"], "live": ["live", "talk"]}


def test_bodies_index_conversation_and_keys_are_there_afterwards(services: Services) -> None:
    _adopt(services)
    chats = _chats(services)
    assert {name: chats[name] for name in EXPECTED} == EXPECTED
    assert len(chats) == 4  # and the one whose body is no list of messages
    assert orjson.loads(services.area.get(OWN, ["theme"])["theme"]) == "dark"
    assert services.adoption.is_done(OWN)


def test_what_was_taken_over_reads_back_as_it_was(services: Services) -> None:
    _adopt(services)
    for session_id, value in BODIES.items():
        assert orjson.loads(services.adoption.read(OWN, f"session_{session_id}")) == value
    for key in ("history", "theme", "own"):
        assert orjson.loads(services.adoption.read(OWN, key)) == ITEMS[key]
    with pytest.raises(NotFound):
        services.adoption.read(OWN, "session_nothing")


def test_one_profiles_mark_is_not_anothers(services: Services) -> None:
    _adopt(services)
    assert not services.adoption.is_done(OTHER_PROFILE)


def test_the_same_again_adds_nothing(services: Services) -> None:
    _adopt(services)
    before = _chats(services)
    _adopt(services)
    assert _chats(services) == before


def test_a_body_that_changed_between_two_tries_is_the_later_one(services: Services) -> None:
    services.adoption.take_body(OWN, "1", BODIES["1"])
    _ = services.adoption.take_body(OWN, "1", [*BODIES["1"], say("more")])
    services.adoption.finish(OWN, ITEMS)
    assert _chats(services)["One"] == ["first", "answer", "more"]


def test_the_stores_own_light_keys_stay(services: Services) -> None:
    services.area.set(OWN, {"theme": "light"})
    assert services.adoption.finish(OWN, ITEMS).kept == ["theme"]
    assert orjson.loads(services.area.get(OWN, ["theme"])["theme"]) == "light"


def test_a_session_id_that_is_another_chats_is_replaced(services: Services) -> None:
    services.area.set(OWN, {"session_1": [say("somebody else's")], "savedSessions": [{"id": "1", "name": "Theirs"}]})
    fresh = services.adoption.take_body(OWN, "1", BODIES["1"])
    assert fresh != "1"
    assert services.adoption.finish(OWN, ITEMS).renamed == {"1": fresh}
    assert chat_texts(services, "1") == ["somebody else's"]
    assert chat_texts(services, fresh) == ["first", "answer"]


def test_a_chat_that_the_store_has_already_is_not_doubled(services: Services) -> None:
    services.area.set(OWN, {"session_1": BODIES["1"], "savedSessions": [{"id": "1", "name": "Mine"}]})
    assert services.adoption.take_body(OWN, "1", BODIES["1"]) == "1"
    services.adoption.finish(OWN, {})
    assert _chats(services) == {"Mine": ["first", "answer"]}


def test_an_open_conversation_of_the_store_stays_open(services: Services) -> None:
    services.conversation.append(OWN, say("open"))
    _adopt(services)
    assert [message["content"] for message in orjson.loads(services.area.get(OWN, ["history"])["history"])] == ["open"]
    assert "live" in _chats(services)


def test_an_entry_of_the_index_without_a_body_is_listed_all_the_same(services: Services) -> None:
    entry = {"id": "gone", "name": "Only a name", "createdAt": 33, "pinned": True}
    services.adoption.finish(OWN, {"savedSessions": [entry, {"no": "id"}, {"id": 5}, "text"]})
    (told,) = orjson.loads(services.adoption.read(OWN, "savedSessions"))
    assert told == {**entry, "textDigest": ""}
    assert chat_ids(services) == ["gone"]


def test_the_index_reads_back_under_the_ids_that_the_browser_has(services: Services) -> None:
    services.area.set(OWN, {"session_1": [say("somebody else's")], "savedSessions": [{"id": "1", "name": "Theirs"}]})
    _adopt(services)
    told = orjson.loads(services.adoption.read(OWN, "savedSessions"))
    assert [{**entry, "textDigest": "?"} for entry in told if entry["id"] != "3"] == [
        {**entry, "textDigest": "?"} for entry in ITEMS["savedSessions"]
    ]


def test_the_stores_own_description_of_a_chat_stays_and_is_told(services: Services) -> None:
    services.area.set(OWN, {"session_1": BODIES["1"], "savedSessions": [{"id": "1", "name": "Mine"}]})
    services.adoption.take_body(OWN, "1", BODIES["1"])
    assert services.adoption.finish(OWN, {"savedSessions": [{"id": "1", "name": "Yours"}]}).kept == ["savedSessions"]
    assert _chats(services) == {"Mine": ["first", "answer"]}


def test_a_chat_deleted_after_the_adoption_does_not_come_back_with_a_repetition(services: Services) -> None:
    _adopt(services)
    services.chats.delete(OWN, ["1"])
    _adopt(services)
    assert "1" not in chat_ids(services)


def test_a_second_copy_of_the_profile_changes_no_chat_of_the_first(services: Services) -> None:
    _adopt(services)
    other = services.adoption.take_body(OWN, "1", [say("written in the copy")])
    services.adoption.finish(OWN, {})
    assert chat_texts(services, "1") == ["first", "answer"]
    assert chat_texts(services, other) == ["written in the copy"]
    assert other in chat_ids(services)


def test_keys_of_model_servers_move_to_the_key_store(services: Services) -> None:
    services.area.remove(OWN, ["providers"])
    stored = {"openai": {"model": "m", "apiKey": "sk-1"}, "nowhere": {"apiKey": "sk-2"}, "gone": None}
    services.adoption.finish(OWN, {"providers": stored})
    kept = {"openai": {"model": "m"}, "nowhere": {}, "gone": None}
    assert orjson.loads(services.adoption.read(OWN, "providers")) == kept
    told = services.area.get_all(OWN)["providers"]
    assert [told[name]["keySet"] for name in ("openai", "nowhere")] == [True, False]


def test_a_key_that_the_store_has_stays(services: Services) -> None:
    services.area.set(OWN, {"providers": {"openai": {"apiKey": "sk-mine"}}})
    services.adoption.finish(OWN, {"providers": {"openai": {"apiKey": "sk-theirs"}}})
    provider = provider_from({"name": "openai", "baseUrl": "https://api.openai.com/v1"})
    assert services.keys.get(OWN, provider) == "sk-mine"


@pytest.mark.parametrize("session_id", ["", "x" * 2000, "__proto__"], ids=["none", "a long one", "a property's name"])
def test_any_text_may_be_a_session_id(services: Services, session_id: str) -> None:
    services.adoption.take_body(OWN, session_id, BODIES["1"])
    services.adoption.finish(OWN, {})
    assert orjson.loads(services.adoption.read(OWN, f"session_{session_id}")) == BODIES["1"]


def _statements(home: Path, stop_at: int | None) -> int:
    """Adopt, ending at the statement of that number; how many statements there were."""
    with open_services(home) as services:
        with killed_at(services.database, stop_at) as count:
            _adopt(services)
        return count()


def test_wherever_it_is_cut_off_the_next_try_ends_in_the_same_state(tmp_path: Path) -> None:
    total = _statements(tmp_path / "whole", None)
    assert total > 100
    for stop_at in range(total):
        home = tmp_path / f"cut at {stop_at}"
        assert _statements(home, stop_at) == stop_at
        with open_services(home) as services:
            done = services.adoption.is_done(OWN)
            _adopt(services)
            chats = _chats(services)
            assert {name: chats[name] for name in EXPECTED} == EXPECTED
            assert len(chats) == 4
            assert len(chat_ids(services)) == 4
            assert not done or stop_at >= total - 3
