"""`history`, `savedSessions` and `session_<id>` are keys like any other to the area, and conversations to the rest."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, chat_ids, chat_texts, listen, open_services, plain, rows, say

from sidekeep.domain import json_value
from sidekeep.service.services import Services

ODD: tuple[object, ...] = (
    None,
    True,
    0,
    "text",
    {"a": 1},
    ["text"],
    [{"no": "role"}],
    [{"role": "user", "content": 7}],
    [[]],
)
HEAVY = ("history", "savedSessions", "session_1")


def _get(services: Services, *keys: str) -> dict[str, Any]:
    return {key: orjson.loads(value) for key, value in services.area.get(OWN, keys or None).items()}


@pytest.fixture
def empty(services: Services) -> Services:
    """Services whose area holds nothing."""
    services.area.clear(OWN)
    return services


@pytest.mark.parametrize("key", HEAVY)
@pytest.mark.parametrize("value", ODD, ids=repr)
def test_any_value_comes_back_as_it_was_set(empty: Services, key: str, value: object) -> None:
    empty.area.set(OWN, {key: [say("rows before")]})
    empty.area.set(OWN, {key: value})
    assert _get(empty) == {key: value}
    empty.area.remove(OWN, [key])
    assert _get(empty) == {}


def test_a_body_that_is_set_is_kept_as_rows_and_comes_back_with_its_pixels(empty: Services) -> None:
    body = [
        say("a", z=1),
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url_of(picture(20, 10))}}]},
    ]
    empty.area.set(OWN, {"session_1": body})
    assert _get(empty) == {"session_1": body}
    assert rows(empty, "blobs") == 1


def test_a_body_that_grows_writes_only_what_is_new(empty: Services) -> None:
    body = [say(f"{number}") for number in range(50)]
    empty.area.set(OWN, {"session_1": body})
    before = rows(empty, "messages")
    empty.area.set(OWN, {"session_1": [*body, say("new"), say("newer")]})
    assert rows(empty, "messages") == before + 2


def test_a_body_without_an_index_entry_is_no_listed_chat(empty: Services) -> None:
    empty.area.set(OWN, {"session_1": [say("a")]})
    assert chat_ids(empty) == []
    empty.area.set(OWN, {"savedSessions": [{"id": "1", "name": "One", "createdAt": 5, "pinned": True}]})
    (listed,) = [chat for chat, _ in empty.chats.page(OWN, limit=10, offset=0).chats]
    assert (listed.id, listed.name, listed.pinned, listed.created_at_ms) == ("1", "One", True, 5)
    assert chat_texts(empty, "1") == ["a"]


def test_an_index_entry_that_is_dropped_deletes_no_body(empty: Services) -> None:
    empty.conversation.append(OWN, say("kept"))
    (chat,) = chat_ids(empty)
    empty.area.set(OWN, {"savedSessions": []})
    assert chat_ids(empty) == []
    assert [message["content"] for message in _get(empty, f"session_{chat}")[f"session_{chat}"]] == ["kept"]


def test_the_index_is_derived_again_when_a_conversation_changes(empty: Services) -> None:
    empty.conversation.append(OWN, say("first question"))
    (chat,) = chat_ids(empty)
    assert _get(empty, "savedSessions") == {
        "savedSessions": [
            {
                "createdAt": empty.chats.page(OWN, limit=1, offset=0).chats[0][0].created_at_ms,
                "id": chat,
                "name": "first question",
                "pinned": False,
                "textDigest": "first question",
            }
        ]
    }
    empty.chats.rename(OWN, chat, "Renamed")
    index = _get(empty, "savedSessions")["savedSessions"]
    assert [entry["name"] for entry in index] == ["Renamed"]


def test_a_write_of_one_key_changes_no_other(empty: Services) -> None:
    empty.conversation.append(OWN, say("q"))
    before = _get(empty)
    empty.area.set(OWN, {"history": [say("other")]})
    after = _get(empty)
    assert {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)} == {"history"}
    empty.area.remove(OWN, ["history"])
    assert _get(empty) == {key: value for key, value in after.items() if key != "history"}


def test_what_is_announced_is_what_changed(empty: Services) -> None:
    empty.conversation.append(OWN, say("q", id="q", createdAt=1))
    (chat,) = chat_ids(empty)
    heard = listen(empty)
    empty.conversation.append(OWN, say("r", id="r", createdAt=2))
    (event,) = heard()
    assert sorted(event) == ["history", "savedSessions", f"session_{chat}"]
    assert [message["id"] for message in event["history"]["newValue"]] == ["q", "r"]
    assert event["history"]["oldValue"] == event[f"session_{chat}"]["oldValue"]
    empty.area.set(OWN, {"history": event["history"]["newValue"]})
    assert heard() == []


@pytest.mark.parametrize("value", [[say("set")], "odd", None], ids=["messages", "another shape", "removed"])
def test_a_body_that_is_set_changes_no_other_key(empty: Services, value: object) -> None:
    for text in ("first", "second"):
        empty.conversation.append(OWN, say(text))
        empty.conversation.clear(OWN)
    key = f"session_{chat_ids(empty)[-1]}"
    before = _get(empty)
    heard = listen(empty)
    if value is None:
        empty.area.remove(OWN, [key])
    else:
        empty.area.set(OWN, {key: value})
    expected = {name: there for name, there in {**before, key: value}.items() if there is not None}
    assert _get(empty) == expected
    assert [list(change) for change in heard()] == [[key]]
    empty.conversation.append(OWN, say("third"))
    index = orjson.loads(empty.area.get(OWN, ["savedSessions"])["savedSessions"])
    assert next(item["textDigest"] for item in index) == "third", "made from the entries again"


def test_an_index_that_comes_out_the_same_is_not_announced(empty: Services) -> None:
    empty.conversation.append(OWN, say("q"))
    (chat,) = chat_ids(empty)
    heard = listen(empty)
    empty.chats.pin(OWN, chat, pinned=True)
    assert [list(change) for change in heard()] == [["savedSessions"]]
    empty.chats.pin(OWN, chat, pinned=True)
    assert heard() == []


def test_who_hears_of_a_deletion_for_good_is_told_what_is_left(empty: Services) -> None:
    for text in ("stays", "goes"):
        empty.conversation.clear(OWN)
        empty.conversation.append(OWN, say(text))
    goes, stays = chat_ids(empty)
    heard = listen(empty)
    empty.chats.delete_for_good(OWN, [goes])
    (event,) = heard()
    assert event["history"]["newValue"] == []
    assert [item["id"] for item in event["savedSessions"]["newValue"]] == [stays]
    assert b"goes" not in orjson.dumps(event)
    empty.chats.rename(OWN, stays, "Another name")
    (event,) = heard()
    assert [item["id"] for item in event["savedSessions"]["oldValue"]] == [stays]


def test_the_index_counts_as_many_bytes_as_its_json_has(empty: Services) -> None:
    empty.conversation.append(OWN, say("é<\n" * 100))
    empty.conversation.append(OWN, say("", role="assistant"))
    empty.conversation.append(OWN, say("x" * 99_800))
    empty.conversation.append(OWN, say("never seen"))
    (chat,) = chat_ids(empty)
    empty.conversation.clear(OWN)
    empty.conversation.append(OWN, say("second"))
    empty.chats.save(OWN, "snapshot")
    index = orjson.loads(empty.area.get(OWN, ["savedSessions"])["savedSessions"])
    (long,) = [entry for entry in index if entry["id"] == chat]
    assert len(long["textDigest"]) == 100_000
    _assert_counted(empty)
    empty.area.set(OWN, {"session_7": [say("a"), say("b")], "savedSessions": [{"id": "7", "name": "seven"}]})
    empty.chats.rename(OWN, "7", "Seven")
    _assert_counted(empty)


def _assert_counted(services: Services) -> None:
    index = services.area.get(OWN, ["savedSessions"])["savedSessions"]
    counted = services.area.bytes_in_use(OWN, ["savedSessions"])
    assert counted == json_value.size_of("savedSessions", index, orjson.loads(index))


KEYS = st.sampled_from(["a", "history", "savedSessions", "session_1", "session_2", "activeSessionId"])
VALUES = st.one_of(
    st.none(),
    st.integers(-5, 5),
    st.text(max_size=3),
    st.lists(
        st.fixed_dictionaries({"role": st.sampled_from(["user", "x"]), "content": st.text(max_size=3)}), max_size=3
    ),
    st.lists(st.fixed_dictionaries({"id": st.sampled_from(["1", "2"]), "name": st.text(max_size=2)}), max_size=2),
)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.dictionaries(KEYS, VALUES, max_size=3)),
        st.tuples(st.just("remove"), st.lists(KEYS, max_size=2)),
        st.tuples(st.just("clear"), st.none()),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(operations=OPERATIONS)
def test_the_area_is_a_dictionary_whatever_lies_behind_its_keys(
    tmp_path_factory: pytest.TempPathFactory, operations: list[tuple[str, object]]
) -> None:
    with open_services(tmp_path_factory.mktemp("area")) as services:
        services.area.clear(OWN)
        model: dict[str, object] = {}
        heard = listen(services)
        for name, argument in operations:
            before = dict(model)
            _apply(services, model, name, argument)
            assert _get(services) == model
            assert services.area.keys(OWN) == sorted(model)
            assert heard() == _expected(before, model)


def _apply(services: Services, model: dict[str, object], name: str, argument: object) -> None:
    if name == "set":
        assert isinstance(argument, dict)
        services.area.set(OWN, argument)
        model.update(plain(argument))
    elif name == "remove":
        assert isinstance(argument, list)
        services.area.remove(OWN, argument)
        for key in argument:
            model.pop(key, None)
    else:
        services.area.clear(OWN)
        model.clear()


def _expected(before: dict[str, object], after: dict[str, object]) -> list[dict[str, dict[str, object]]]:
    changes: dict[str, dict[str, object]] = {}
    for key in before.keys() | after.keys():
        if key in before and key in after and before[key] == after[key]:
            continue
        changes[key] = {}
        if key in after:
            changes[key]["newValue"] = after[key]
        if key in before:
            changes[key]["oldValue"] = before[key]
    return [changes] if changes else []
