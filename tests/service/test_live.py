"""How a live conversation becomes a saved chat, and how the chat follows it."""

import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    STRANGER,
    archived,
    chat_ids,
    chat_texts,
    listen,
    live_texts,
    prune,
    rows,
    say,
)

from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.services import Services

PAGE = PageToAttach(url="https://example.org/", title="A page", mode="article", text="Its text.")


def _talk(services: Services, *texts: str) -> str:
    """Append questions, and return the chat that follows them."""
    for text in texts:
        services.conversation.append(OWN, say(text, id=text))
    return services.conversation.get(OWN, "none")[1]


def test_the_first_question_makes_a_saved_chat_named_after_it(services: Services) -> None:
    services.conversation.append(OWN, say("Why do  lighthouses\nblink?"))
    ((chat, size),) = services.chats.page(OWN, limit=10, offset=0).chats
    assert chat.name == "Why do lighthouses blink?"
    assert size.messages == 1


def test_an_attachment_alone_makes_no_saved_chat(services: Services) -> None:
    services.attachments.add(OWN, PAGE)
    assert chat_ids(services) == []
    _talk(services, "What does it say?")
    (chat_id,) = chat_ids(services)
    assert len(chat_texts(services, chat_id)) == 2, "the page is in it"


def test_the_chat_follows_every_change(services: Services) -> None:
    chat = _talk(services, "a", "b", "c", "d")
    assert chat_texts(services, chat) == ["a", "b", "c", "d"]
    services.conversation.remove(OWN, "b")
    assert chat_texts(services, chat) == ["a", "c", "d"]
    services.conversation.truncate(OWN, "d", inclusive=True)
    assert chat_texts(services, chat) == ["a", "c"]
    _talk(services, "e")
    assert chat_texts(services, chat) == ["a", "c", "e"]
    assert chat_ids(services) == [chat]


def test_a_new_chat_leaves_the_saved_one_and_archives_nothing(services: Services) -> None:
    chat = _talk(services, "a", "b")
    services.conversation.clear(OWN)
    assert live_texts(services) == []
    assert chat_texts(services, chat) == ["a", "b"]
    assert archived(services) == []
    assert _talk(services, "c") != chat


def test_clearing_what_no_chat_holds_archives_it_as_a_reset(services: Services) -> None:
    services.attachments.add(OWN, PAGE)
    services.conversation.clear(OWN)
    ((reason, texts),) = archived(services)
    assert reason == "reset"
    assert texts[0].endswith("Its text.")
    assert rows(services, "transcript_events") == 0


def test_a_loaded_chat_goes_on_where_it_was(services: Services) -> None:
    first = _talk(services, "a", "b")
    services.conversation.clear(OWN)
    second = _talk(services, "x")
    assert services.chats.load(OWN, first) == 2
    assert live_texts(services) == ["a", "b"]
    assert _talk(services, "c") == first
    assert chat_texts(services, first) == ["a", "b", "c"]
    assert chat_texts(services, second) == ["x"]


def test_loading_the_chat_that_is_open_keeps_what_was_just_said(services: Services) -> None:
    chat = _talk(services, "a", "b")
    services.chats.load(OWN, chat)
    assert live_texts(services) == ["a", "b"]
    assert _talk(services, "c") == chat
    assert archived(services) == []


def test_a_chat_that_is_gone_cannot_be_loaded(services: Services) -> None:
    _talk(services, "a")
    with pytest.raises(NotFound):
        services.chats.load(OWN, "nobody")
    assert live_texts(services) == ["a"]


def test_deleting_the_open_chat_archives_it_and_keeps_the_conversation(services: Services) -> None:
    chat = _talk(services, "a", "b")
    assert services.chats.delete(OWN, [chat, chat, "nobody"]) == 1
    assert live_texts(services) == ["a", "b"]
    assert archived(services) == [("deleted", ["a", "b"])]
    fresh = _talk(services, "c")
    assert fresh != chat
    assert chat_texts(services, fresh) == ["a", "b", "c"]


def test_a_new_chat_does_not_bring_the_deleted_one_back(services: Services) -> None:
    chat = _talk(services, "a", "b")
    services.chats.delete(OTHER_PROFILE, [chat])
    services.conversation.clear(OWN)
    assert chat_ids(services) == []
    assert archived(services) == [("deleted", ["a", "b"]), ("reset", ["a", "b"])]


def test_a_deleted_chat_leaves_no_rows_but_its_archive(services: Services) -> None:
    chat = _talk(services, "a", "b")
    services.conversation.clear(OWN)
    services.chats.delete(OWN, [chat])
    prune(services)
    assert rows(services, "messages") == 0
    assert rows(services, "transcript_events") == 0
    assert archived(services) == [("deleted", ["a", "b"])]


def test_two_profiles_with_the_same_chat_open_go_on_apart_and_lose_nothing(services: Services) -> None:
    chat = _talk(services, "a")
    services.chats.load(OTHER_PROFILE, chat)
    _talk(services, "from one")
    services.conversation.append(OTHER_PROFILE, say("from two", id="two"))
    assert live_texts(services) == ["a", "from one"]
    assert live_texts(services, OTHER_PROFILE) == ["a", "from two"]
    assert chat_texts(services, chat) == ["a", "from one"]
    (fork,) = set(chat_ids(services)) - {chat}
    assert chat_texts(services, fork) == ["a", "from two"]


@pytest.mark.parametrize("leave", ["new chat", "load"])
def test_a_profile_that_adds_nothing_to_a_chat_that_went_on_leaves_no_other(services: Services, leave: str) -> None:
    chat = _talk(services, "a")
    services.chats.load(OTHER_PROFILE, chat)
    _talk(services, "from one")
    if leave == "load":
        services.chats.load(OTHER_PROFILE, chat)
    else:
        services.conversation.clear(OTHER_PROFILE)
    assert chat_ids(services) == [chat]
    assert live_texts(services, OTHER_PROFILE) == (["a", "from one"] if leave == "load" else [])
    assert archived(services) == []


def test_deleting_a_chat_that_both_profiles_have_open_detaches_both(services: Services) -> None:
    chat = _talk(services, "a")
    services.chats.load(OTHER_PROFILE, chat)
    heard = listen(services, OTHER_PROFILE)
    services.chats.delete(OWN, [chat])
    assert [change["activeSessionId"] for change in heard() if "activeSessionId" in change] == [
        {"oldValue": chat, "newValue": ""}
    ]
    services.conversation.append(OTHER_PROFILE, say("b", id="b"))
    (fork,) = chat_ids(services)
    assert chat_texts(services, fork) == ["a", "b"]
    assert live_texts(services) == ["a"]


def test_saving_makes_another_chat_and_copies_no_message(services: Services) -> None:
    url = url_of(picture(100, 100, noisy=True))
    services.conversation.append(OWN, {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]})
    own = _talk(services, "a")
    messages, blobs = rows(services, "messages"), rows(services, "blobs")
    for number in range(50):
        services.chats.save(OWN, f"snapshot {number}")
    assert (rows(services, "messages"), rows(services, "blobs")) == (messages, blobs)
    assert len(chat_ids(services)) == 51
    assert services.conversation.get(OWN, "none")[1] == own


def test_a_snapshot_keeps_what_is_removed_later(services: Services) -> None:
    _talk(services, "a", "b")
    snapshot, _ = services.chats.save(OWN, None)
    services.conversation.truncate(OWN, "a", inclusive=True)
    assert chat_texts(services, snapshot.id) == ["a", "b"]


def test_an_empty_conversation_cannot_be_saved(services: Services) -> None:
    with pytest.raises(InvalidParams):
        services.chats.save(OWN, "empty")


def test_chats_are_listed_by_latest_activity_in_pages_and_by_name(services: Services) -> None:
    for name in ("Äpfel", "birnen", "Äste"):
        services.conversation.append(OWN, say(name))
        services.conversation.clear(OWN)
    names = [chat.name for chat, _ in services.chats.page(OWN, limit=2, offset=0).chats]
    assert names == ["Äste", "birnen"]
    found = services.chats.page(OWN, query="ä", limit=10, offset=0)
    assert [chat.name for chat, _ in found.chats] == ["Äste", "Äpfel"]
    assert services.chats.page(OWN, limit=2, offset=2).total == 3


def test_a_renamed_chat_keeps_its_new_name_while_it_follows(services: Services) -> None:
    chat = _talk(services, "a")
    services.chats.rename(OWN, chat, " A new\nname ")
    _talk(services, "b")
    assert services.chats.get(OWN, chat, "none")[0].name == "A new name"
    with pytest.raises(InvalidParams):
        services.chats.rename(OWN, chat, "  \n ")


def test_another_extension_neither_sees_nor_deletes_our_chats(services: Services) -> None:
    chat = _talk(services, "a")
    assert chat_ids(services, STRANGER) == []
    assert services.chats.delete(STRANGER, [chat]) == 0
    for forbidden in (
        lambda: services.chats.load(STRANGER, chat),
        lambda: services.chats.get(STRANGER, chat, "none"),
        lambda: services.chats.rename(STRANGER, chat, "mine"),
    ):
        with pytest.raises(NotFound):
            forbidden()
    assert chat_texts(services, chat) == ["a"]


@pytest.mark.parametrize("is_set", [True, False], ids=["set", "removed"])
def test_an_append_makes_the_active_key_the_chats_again_and_tells_so(services: Services, is_set: bool) -> None:
    chat_id = _talk(services, "Hello?")
    heard = listen(services)
    if is_set:
        services.area.set(OWN, {"activeSessionId": "another"})
    else:
        services.area.remove(OWN, ["activeSessionId"])
    heard()
    _talk(services, "And?")
    (told,) = heard()
    assert told["activeSessionId"] == {"newValue": chat_id, **({"oldValue": "another"} if is_set else {})}
    _talk(services, "And then?")
    (told,) = heard()
    assert "activeSessionId" not in told, "it has not changed"


def test_the_active_key_that_outlived_its_conversation_is_the_next_ones(services: Services) -> None:
    before = _talk(services, "Hello?")
    services.area.remove(OWN, ["history"])
    heard = listen(services)
    after = _talk(services, "And?")
    (told,) = heard()
    assert told["activeSessionId"] == {"oldValue": before, "newValue": after}
    assert before != after
