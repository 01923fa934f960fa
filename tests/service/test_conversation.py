"""history.* and image.get: the live conversation."""

from typing import Any

import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import OTHER_PROFILE, OWN, STRANGER, archived, live_messages, live_texts, rows, say

from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service.services import Services

BAD_MESSAGES: dict[str, dict[str, Any]] = {
    "no role": {"content": "x"},
    "an empty role": {"role": "", "content": "x"},
    "a role that is a number": {"role": 1, "content": "x"},
    "no content": {"role": "user"},
    "content that is a number": {"role": "user", "content": 1},
    "parts that are no objects": {"role": "user", "content": ["x"]},
    "an id that is a number": {"role": "user", "content": "x", "id": 1},
    "an empty id": {"role": "user", "content": "x", "id": ""},
}


def test_a_message_gets_an_id_and_a_time(services: Services) -> None:
    message_id, index = services.conversation.append(OWN, say("hello"))
    assert index == 0
    (message,) = live_messages(services)
    assert message["id"] == message_id
    assert message["createdAt"] > 1_700_000_000_000


def test_a_message_keeps_its_own_id_time_and_unknown_fields(services: Services) -> None:
    services.conversation.append(OWN, say("hello", id="mine", createdAt=5, mood={"odd": [1, None]}))
    (message,) = live_messages(services)
    assert message == say("hello", id="mine", createdAt=5, mood={"odd": [1, None]})


def test_a_known_id_is_answered_with_the_stored_message_and_written_once(services: Services) -> None:
    services.conversation.append(OWN, say("first", id="a"))
    services.conversation.append(OWN, say("second", id="b"))
    assert services.conversation.append(OWN, say("another text", id="a")) == ("a", 0)
    assert live_texts(services) == ["first", "second"]
    assert rows(services, "messages") == 2


@pytest.mark.parametrize("message", BAD_MESSAGES.values(), ids=BAD_MESSAGES.keys())
def test_what_is_no_message_is_refused_and_nothing_is_written(services: Services, message: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams):
        services.conversation.append(OWN, message)
    assert live_messages(services) == []


def test_a_removed_message_is_archived(services: Services) -> None:
    for text in ("a", "b", "c"):
        services.conversation.append(OWN, say(text, id=text))
    services.conversation.remove(OWN, "b")
    assert live_texts(services) == ["a", "c"]
    assert archived(services) == [("deleted", ["b"])]


@pytest.mark.parametrize(("inclusive", "left"), [(True, ["a"]), (False, ["a", "b"])])
def test_truncating_takes_out_what_follows_and_archives_it(
    services: Services, inclusive: bool, left: list[str]
) -> None:
    for text in ("a", "b", "c", "d"):
        services.conversation.append(OWN, say(text, id=text))
    assert services.conversation.truncate(OWN, "b", inclusive=inclusive) == 4 - len(left)
    assert live_texts(services) == left
    assert archived(services) == [("deleted", ["a", "b", "c", "d"][len(left) :])]


def test_truncating_after_the_last_message_removes_nothing(services: Services) -> None:
    services.conversation.append(OWN, say("a", id="a"))
    assert services.conversation.truncate(OWN, "a", inclusive=False) == 0
    assert archived(services) == []


def test_a_message_that_is_not_there_cannot_be_removed(services: Services) -> None:
    with pytest.raises(NotFound) as raised:
        services.conversation.remove(OWN, "nobody")
    assert raised.value.data == {"what": "message", "id": "nobody"}


def test_appending_after_a_removal_gives_the_right_index(services: Services) -> None:
    for text in ("a", "b", "c"):
        services.conversation.append(OWN, say(text, id=text))
    services.conversation.remove(OWN, "b")
    assert services.conversation.append(OWN, say("d", id="d")) == ("d", 2)
    assert services.conversation.append(OWN, say("c", id="c")) == ("c", 1)


def test_a_removed_id_may_come_again(services: Services) -> None:
    services.conversation.append(OWN, say("a", id="a"))
    services.conversation.remove(OWN, "a")
    services.conversation.append(OWN, say("a again", id="a"))
    assert live_texts(services) == ["a again"]


def test_profiles_and_other_extensions_have_conversations_of_their_own(services: Services) -> None:
    services.conversation.append(OWN, say("mine"))
    assert live_messages(services, OTHER_PROFILE) == []
    assert live_messages(services, STRANGER) == []


def test_an_original_picture_comes_back_byte_for_byte(services: Services) -> None:
    url = url_of(picture(1200, 900))
    services.conversation.append(OWN, say("", content=[{"type": "image_url", "image_url": {"url": url}}]))
    shown = live_messages(services)[0]["content"][0]["image_url"]
    found = services.conversation.image(OWN, shown["ref"])
    assert found.data_url == url
    assert (found.width, found.height) == (1200, 900) == (shown["width"], shown["height"])


@pytest.mark.parametrize("ref", ["no hex", "abc"])
def test_a_ref_is_hexadecimal(services: Services, ref: str) -> None:
    with pytest.raises(InvalidParams):
        services.conversation.image(OWN, ref)


def test_another_extensions_picture_is_not_given_out(services: Services) -> None:
    url = url_of(picture(20, 10))
    services.conversation.append(OWN, say("", content=[{"type": "image_url", "image_url": {"url": url}}]))
    ref = live_messages(services)[0]["content"][0]["image_url"]["ref"]
    with pytest.raises(NotFound):
        services.conversation.image(STRANGER, ref)
    assert services.status.counts(OWN).blobs[0] == 1
    assert services.status.counts(STRANGER).blobs == (0, 0)
    services.conversation.clear(OWN)
    assert services.conversation.image(OWN, ref).data_url == url, "a saved chat has it"


def test_a_value_nested_too_deeply_is_refused_with_its_key(services: Services) -> None:
    value: object = 1
    for _ in range(300):
        value = [value]
    with pytest.raises(InvalidParams, match="nested too deeply"):
        services.area.set(OWN, {"deep": value})


def test_a_picture_that_is_not_stored_is_not_found(services: Services) -> None:
    with pytest.raises(NotFound):
        services.conversation.image(OWN, "00" * 32)
