"""storage.*: what was set comes back, whatever it is, and no write changes another key."""

import tempfile
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.pictures import picture, url_of
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    STRANGER,
    archived,
    chat_ids,
    chat_texts,
    listen,
    live_messages,
    live_texts,
    open_services,
    rows,
    say,
)

from sidekeep.domain.area_keys import GET_ALL_KEYS
from sidekeep.service import messages, pictures
from sidekeep.service.services import Services
from sidekeep.store import blobs
from sidekeep.store.database import Database

PICTURE = url_of(picture(40, 30))
KEY = "sk-onion-0123"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
parts = st.lists(
    st.one_of(
        st.fixed_dictionaries({"type": st.just("text"), "text": texts}),
        st.fixed_dictionaries(
            {
                "type": st.just("image_url"),
                "image_url": st.fixed_dictionaries({"url": st.sampled_from([PICTURE, "", "x"])}),
            }
        ),
        st.dictionaries(texts, json_values, max_size=2),
    ),
    max_size=4,
)
odd_messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "", "odd"]), "content": texts | parts},
    optional={"id": st.sampled_from(["a", "b", ""]) | json_values, "createdAt": json_values, "x": json_values},
)
histories = st.lists(odd_messages | json_values, max_size=5) | json_values


def _get(services: Services, key: str) -> Any:
    return orjson.loads(services.area.get(OWN, [key])[key])


def test_any_history_comes_back_as_it_was_set() -> None:
    @given(first=histories, second=histories)
    def check(services: Services, first: Any, second: Any) -> None:
        for value in (first, second, [*second, first] if isinstance(second, list) else second):
            services.area.set(OWN, {"history": value})
            assert _get(services, "history") == value
            assert b'"id"' in orjson.dumps(value) or b'"id"' not in services.area.get(OWN, ["history"])["history"]

    with tempfile.TemporaryDirectory() as home, open_services(Path(home), in_memory=True) as services:
        check(services)


def test_the_history_is_the_live_conversation(services: Services) -> None:
    services.conversation.append(OWN, say("a", id="a", createdAt=1))
    assert _get(services, "history") == [say("a", id="a", createdAt=1)]
    services.area.set(OWN, {"history": [say("b")]})
    assert live_texts(services) == ["b"]


def test_a_history_that_goes_on_is_followed_by_its_chat_at_the_next_change(services: Services) -> None:
    services.conversation.append(OWN, say("a", id="a", createdAt=1))
    (chat,) = chat_ids(services)
    services.area.set(OWN, {"history": [say("a", id="a", createdAt=1), say("b", id="b", createdAt=2)]})
    assert chat_texts(services, chat) == ["a"], "a write of one key changes nothing else"
    services.conversation.append(OWN, say("c"))
    assert chat_texts(services, chat) == ["a", "b", "c"]
    assert chat_ids(services) == [chat]


def test_a_history_that_is_another_leaves_the_saved_chat_as_it_was(services: Services) -> None:
    services.conversation.append(OWN, say("a", id="a"))
    (chat,) = chat_ids(services)
    services.area.set(OWN, {"history": [say("x")]})
    services.conversation.append(OWN, say("y"))
    assert chat_texts(services, chat) == ["a"]
    (fresh,) = set(chat_ids(services)) - {chat}
    assert chat_texts(services, fresh) == ["x", "y"]


def test_rows_that_are_there_already_are_not_written_again(services: Services) -> None:
    history = [say(f"{number}", id=f"{number}", createdAt=number) for number in range(20)]
    services.area.set(OWN, {"history": history})
    with services.database.reading() as tx:
        before = [pk for (pk,) in tx.execute("SELECT message_pk FROM messages ORDER BY message_pk")]
    services.area.set(OWN, {"history": [*history, say("new", id="new")]})
    with services.database.reading() as tx:
        after = [pk for (pk,) in tx.execute("SELECT message_pk FROM messages ORDER BY message_pk")]
    assert after[:-1] == before


def test_two_messages_with_one_id_both_stay(services: Services) -> None:
    history = [say("first", id="same", createdAt=1), say("second", id="same", createdAt=2)]
    services.area.set(OWN, {"history": history})
    assert _get(services, "history") == history
    assert live_texts(services) == ["first", "second"]


def test_messages_of_one_id_have_ids_of_their_own_in_the_conversation(services: Services) -> None:
    services.area.set(OWN, {"history": [say("first", id="same"), say("second", id="same")]})
    ids = [message["id"] for message in live_messages(services)]
    assert len(set(ids)) == 2
    services.conversation.remove(OWN, ids[1])
    assert live_texts(services) == ["first"]


def test_messages_with_ids_that_are_none_are_a_conversation_all_the_same(services: Services) -> None:
    history: list[Any] = [say("number", id=1), say("text", id="1"), say("none", id=None), say("empty", id="")]
    services.area.set(OWN, {"history": history})
    assert _get(services, "history") == history
    there = live_messages(services)
    assert len({message["id"] for message in there if isinstance(message["id"], str)}) == 4
    services.conversation.append(OWN, say("more"))
    services.conversation.remove(OWN, there[0]["id"])
    assert live_texts(services) == ["text", "none", "empty", "more"]


def test_removing_the_history_archives_what_no_chat_holds(services: Services) -> None:
    services.area.set(OWN, {"history": [say("a")]})
    services.area.remove(OWN, ["history"])
    assert services.area.get(OWN, ["history"]) == {}
    assert archived(services) == [("reset", ["a"])]


def test_a_history_that_is_no_list_of_messages_is_kept_as_it_is(services: Services) -> None:
    services.conversation.append(OWN, say("a"))
    services.area.set(OWN, {"history": {"odd": True}})
    assert _get(services, "history") == {"odd": True}
    services.conversation.append(OWN, say("b"))
    assert [message["content"] for message in _get(services, "history")] == ["b"]


def test_pictures_set_through_the_area_lie_in_the_store_once(services: Services) -> None:
    content = [{"type": "image_url", "image_url": {"url": PICTURE}}]
    services.area.set(OWN, {"history": [say("", content=content), say("", content=content)]})
    assert rows(services, "blobs") == 1
    assert _get(services, "history")[1]["content"] == content


def test_pictures_that_are_there_are_not_examined_again(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    examine = pictures.examine

    def counted(data: bytes) -> pictures.Examined:
        looked_at.append(len(data))
        return examine(data)

    monkeypatch.setattr(pictures, "examine", counted)
    shown = say("look", content=[{"type": "image_url", "image_url": {"url": PICTURE}}])
    services.area.set(OWN, {"history": [shown]})
    services.area.set(OWN, {"history": [shown, say("more")], "session_1": [shown]})
    assert len(looked_at) == 1
    assert services.conversation.get(OWN, "full")[0]


def test_a_picture_that_has_gone_since_it_was_known_is_written_all_the_same() -> None:
    shown = say("look", content=[{"type": "image_url", "image_url": {"url": PICTURE}}])
    prepared = messages.prepare(shown, 0, is_known=lambda _sha256: True)
    database = Database(None)
    with database.transaction() as tx:
        messages.store_pictures(tx, prepared)
        (found,) = blobs.known(tx, {prepared.pictures[0].sha256}).values()
    database.close()
    assert (found.width, found.height) == (40, 30)


def test_what_another_process_writes_is_in_get_all(tmp_path: Path) -> None:
    with open_services(tmp_path) as here, open_services(tmp_path) as there:
        for theme in ("dark", "light"):
            there.area.set(OWN, {"theme": theme})
            assert here.area.get_all(OWN)["theme"] == theme
            assert there.area.get_all(OWN)["theme"] == theme
            here.area.set(OWN, {"sendKey": theme})
            assert here.area.get_all(OWN)["sendKey"] == theme
            assert there.area.get_all(OWN)["sendKey"] == theme


def test_many_keys_at_once_come_back_in_order(services: Services) -> None:
    items = {f"k{number:03}": number for number in range(100)} | {"history": [say("q")], "activeSessionId": "9"}
    services.area.set(OWN, items)
    found = services.area.get(OWN, [*reversed(items), "absent", "k000"])
    assert {key: orjson.loads(value) for key, value in found.items()} == items
    assert list(found) == sorted(items)


def test_history_is_the_profiles_and_every_other_key_is_shared(services: Services) -> None:
    services.area.set(OWN, {"history": ["odd"], "activeSessionId": "x", "theme": "dark"})
    assert services.area.get(OTHER_PROFILE, None).keys() & {"history", "activeSessionId", "theme"} == {"theme"}
    services.area.clear(OTHER_PROFILE)
    assert services.area.keys(OWN) == ["activeSessionId", "history"]


def test_another_extension_has_an_area_of_its_own(services: Services) -> None:
    services.area.set(STRANGER, {"theme": "light", "own": 1})
    assert services.area.keys(STRANGER) == ["own", "theme"]
    assert "own" not in services.area.keys(OWN)
    services.area.clear(STRANGER)
    assert "providers" in services.area.keys(OWN)


def test_a_write_that_cannot_be_made_whole_is_not_made(services: Services) -> None:
    with services.database.transaction() as tx:
        tx.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON area WHEN NEW.key = 'b' BEGIN SELECT raise(ABORT, 'no'); END"
        )
    with pytest.raises(Exception, match="no"):
        services.area.set(OWN, {"a": 1, "b": 2})
    assert "a" not in services.area.keys(OWN)


def test_only_what_changed_is_announced(services: Services) -> None:
    services.area.set(OWN, {"a": {"x": 1, "y": 2}, "b": 1, "c": True})
    heard = listen(services)
    services.area.set(OWN, {"a": {"y": 2, "x": 1}, "b": 1.0, "c": 1, "d": None})
    assert heard() == [{"c": {"newValue": 1, "oldValue": True}, "d": {"newValue": None}}]


def test_removing_announces_the_old_value(services: Services) -> None:
    services.area.set(OWN, {"a": [1]})
    heard = listen(services)
    services.area.remove(OWN, ["a", "nothing"])
    assert heard() == [{"a": {"oldValue": [1]}}]


def test_bytes_in_use_count_keys_and_values(services: Services) -> None:
    services.area.set(STRANGER, {"a": "é<", "bb": 1})
    assert services.area.bytes_in_use(STRANGER, ["a"]) == 1 + len('"é\\u003C"'.encode())
    assert services.area.bytes_in_use(STRANGER, None) == 1 + 10 + 2 + 1
    assert services.area.bytes_in_use(STRANGER, ["nothing"]) == 0


def test_get_all_has_every_light_key_and_no_history(services: Services) -> None:
    services.conversation.append(OWN, say("a"))
    items = services.area.get_all(OWN)
    assert tuple(items) == GET_ALL_KEYS
    assert items["activeSessionId"] == chat_ids(services)[0]
    assert items["theme"] == "system"


def test_a_key_in_providers_goes_to_the_key_store_and_reads_back_as_absent(services: Services) -> None:
    server = {"baseUrl": "http://127.0.0.1:9/v1", "model": "m", "apiKey": KEY, "extra": [1]}
    services.area.set(OWN, {"providers": {"mine": server}})
    kept = {name: value for name, value in server.items() if name != "apiKey"}
    assert _get(services, "providers") == {"mine": kept}
    everything = services.area.get_all(OWN)["providers"]
    assert everything["mine"] == {"name": "mine", **kept, "keySet": True}
    assert everything["openai"]["keySet"] is False
    assert KEY not in repr(everything)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ([{"name": "a", "apiKey": KEY}], [{"name": "a"}]),
        ({"a": {"profiles": [{"apiKey": KEY}]}}, {"a": {"profiles": [{}]}}),
        ({"a": [{"apiKey": {"deeper": KEY}}]}, {"a": [{}]}),
    ],
    ids=["a list of providers", "below a provider", "where no provider is"],
)
def test_a_key_in_a_place_of_its_own_is_kept_nowhere(tmp_path: Path, services: Services, value: Any, kept: Any) -> None:
    services.area.set(OWN, {"providers": value})
    assert _get(services, "providers") == kept
    services.adoption.finish(STRANGER._replace(namespace=OWN.namespace, profile="another"), {"providers": value})
    with services.database.reading() as tx:
        stored = [bytes(text) for (text,) in tx.execute("SELECT value FROM area_values")]
    assert not [text for text in stored if KEY.encode() in text]


def test_another_extensions_providers_are_any_value(services: Services) -> None:
    value = {"mine": {"apiKey": KEY}}
    services.area.set(STRANGER, {"providers": value})
    assert orjson.loads(services.area.get(STRANGER, ["providers"])["providers"]) == value
    assert rows(services, "provider_keys") == 0


@pytest.mark.parametrize("odd", [None, 5, "x", [1], {"a": 1, "b": None, "openai": None}])
def test_odd_providers_break_nothing(services: Services, odd: Any) -> None:
    services.area.set(OWN, {"providers": odd})
    assert _get(services, "providers") == odd
    assert "offline" in services.area.get_all(OWN)["providers"]
