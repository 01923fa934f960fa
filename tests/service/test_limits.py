"""Limits that hold: what is over one goes to the archive, is counted, and comes back."""

from typing import Any

import pytest
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    archived,
    chat_ids,
    chat_texts,
    listen,
    live_texts,
    plain,
    say,
)

from sidekeep.domain.chat import ChatId
from sidekeep.domain.scope import Scope
from sidekeep.errors import LimitReached
from sidekeep.service import retention
from sidekeep.service.services import Services
from sidekeep.store.archived import Wanted
from sidekeep.store.evictions import Evicted


def limited(services: Services, **limits: int) -> Services:
    """The same services, under these limits."""
    services.settings.attach(services.database)
    services.settings.set({f"limits.{name}": limit for name, limit in limits.items()})
    return services


def chat(services: Services, name: str, *, scope: Scope = OWN) -> ChatId:
    """A saved chat that is not open."""
    services.conversation.append(scope, say(name))
    chat_id = ChatId(services.conversation.get(scope, "none")[1])
    services.conversation.clear(scope)
    return chat_id


def evicted(services: Services) -> tuple[int, int]:
    found = services.chats.page(OWN, limit=0, offset=0).evicted
    assert (found.since_ms is None) == (found == Evicted())
    return found.chats, found.messages


def turn(services: Services, number: int, *, scope: Scope = OWN) -> None:
    services.conversation.append(scope, say(f"q{number}"))
    services.conversation.append(scope, say(f"a{number}", role="assistant"))


def test_the_message_over_the_limit_sends_the_oldest_whole_turn_to_the_archive(services: Services) -> None:
    limited(services, messages=4)
    for number in range(3):
        turn(services, number)
    assert live_texts(services) == ["q1", "a1", "q2", "a2"]
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id) == ["q1", "a1", "q2", "a2"]
    assert archived(services) == [("deleted", ["q0", "a0"])]
    assert evicted(services) == (0, 2)


def test_attachments_leave_with_their_question(services: Services) -> None:
    limited(services, messages=5)
    services.conversation.append(OWN, say("page", attachId="p"))
    for number in range(3):
        turn(services, number)
    assert live_texts(services) == ["q1", "a1", "q2", "a2"]
    assert archived(services) == [("deleted", ["page", "q0", "a0"])]


def test_a_single_turn_over_the_limit_loses_its_oldest_messages(services: Services) -> None:
    limited(services, messages=3)
    for number in range(5):
        services.conversation.append(OWN, say(f"page {number}", attachId=f"p{number}"))
    assert live_texts(services) == ["page 2", "page 3", "page 4"]
    assert evicted(services) == (0, 2)


def test_what_was_set_through_the_area_reads_back_whole(services: Services) -> None:
    limited(services, messages=2)
    value = [say(f"m{number}") for number in range(10)]
    services.area.set(OWN, {"history": value, "session_x": value})
    assert len(plain(live_texts(services))) == 10
    assert plain(len(services.area.get(OWN, ["session_x"])["session_x"])) > 10
    assert evicted(services) == (0, 0)
    services.conversation.append(OWN, say("next"))
    assert live_texts(services) == ["m9", "next"]


def test_a_conversation_open_in_two_profiles_goes_along_in_both(services: Services) -> None:
    limited(services, messages=4)
    turn(services, 0)
    turn(services, 1)
    (chat_id,) = chat_ids(services)
    services.chats.load(OTHER_PROFILE, chat_id)
    heard = listen(services, OTHER_PROFILE)
    limited(services, messages=2).enforce_limits()
    assert live_texts(services) == live_texts(services, OTHER_PROFILE) == ["q1", "a1"]
    assert any("history" in change for change in heard())
    turn(services, 2, scope=OTHER_PROFILE)
    assert chat_ids(services) == [chat_id], "it goes on in the same chat"


def test_over_the_limit_of_chats_the_one_that_rested_longest_leaves(services: Services) -> None:
    limited(services, chats=2)
    first, second = chat(services, "first"), chat(services, "second")
    services.chats.load(OWN, first)
    services.conversation.append(OWN, say("again"))
    services.conversation.clear(OWN)
    third = chat(services, "third")
    assert chat_ids(services) == [third, first]
    assert archived(services) == [("deleted", ["second"])]
    assert evicted(services) == (1, 0)
    (gone,), _ = services.archives.page(OWN, Wanted(evicted=True), limit=10, offset=0)
    assert (gone.name, gone.chat_id, gone.part, gone.evicted) == ("second", second, "chat", True)


def test_pinned_chats_leave_last(services: Services) -> None:
    limited(services, chats=2)
    pinned = [chat(services, "pinned 1"), chat(services, "pinned 2")]
    for chat_id in pinned:
        services.chats.pin(OWN, chat_id, pinned=True)
    limited(services, chats=3)
    loose = chat(services, "loose")
    limited(services, chats=2).enforce_limits()
    assert set(chat_ids(services)) == set(pinned)
    assert loose not in chat_ids(services)
    limited(services, chats=1).enforce_limits()
    assert chat_ids(services) == [pinned[1]], "the oldest pinned one goes when only pinned ones are left"


def test_the_chats_that_are_open_or_just_saved_stay(services: Services) -> None:
    limited(services, chats=1)
    services.conversation.append(OTHER_PROFILE, say("open elsewhere"))
    services.conversation.append(OWN, say("open"))
    saved, _ = services.chats.save(OWN, "a snapshot")
    assert len(chat_ids(services)) == 3
    assert saved.id in chat_ids(services)
    services.conversation.clear(OWN)
    chat(services, "another")
    assert saved.id not in chat_ids(services)


def test_a_chat_that_is_being_answered_stays(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(services, chats=1)
    first = chat(services, "first")
    lock = services._turn_locks.try_lock(f"{OWN.namespace}/{first}")
    assert lock is not None
    chat(services, "second")
    assert first in chat_ids(services)
    lock.release()
    chat(services, "third")
    assert first not in chat_ids(services)


@pytest.mark.parametrize("limit", ["chats", "messages"])
def test_none_is_no_limit(services: Services, limit: str) -> None:
    limited(services, **{limit: 0})
    for number in range(5):
        turn(services, number)
        services.chats.save(OWN, None)
    assert len(live_texts(services)) == 10
    assert len(chat_ids(services)) == 6


def test_what_was_evicted_comes_back_and_is_counted_no_longer(services: Services) -> None:
    limited(services, chats=2, messages=2)
    chat(services, "first")
    chat(services, "second")
    chat(services, "third")
    for number in range(2):
        turn(services, number)
    assert evicted(services) == (2, 2)
    limited(services, chats=10)
    found, total = services.archives.page(OWN, Wanted(evicted=True), limit=10, offset=0)
    assert total == 3
    for archive in found:
        services.archives.restore(OWN, archive.id)
    assert evicted(services) == (0, 0)
    assert sorted(chat.name for chat, _ in services.chats.page(OWN, limit=10, offset=0).chats) == [
        "first",
        "q0",
        "q0",
        "second",
        "third",
    ]


def test_the_count_outlives_the_chats_and_the_archive(services: Services) -> None:
    limited(services, chats=1)
    chat(services, "first")
    chat(services, "second")
    services.chats.delete(OWN, chat_ids(services))
    services.archives.purge(OWN, None, 2**53)
    assert evicted(services) == (1, 0)


def test_one_folder_too_many_is_refused(services: Services) -> None:
    limited(services, folders=2)
    services.folders.create(OWN, "one")
    second = services.folders.create(OWN, "two")
    with pytest.raises(LimitReached) as refused:
        services.folders.create(OWN, "three")
    assert refused.value.data == {"limit": 2}
    services.settings.set({"limits.folders": 1})
    with pytest.raises(LimitReached, match="is 1, and there are 2"):
        services.folders.create(OWN, "three")
    services.settings.set({"limits.folders": 2})
    services.folders.delete(OWN, second.id)
    services.folders.create(OWN, "three")


def test_what_would_leave_is_what_then_leaves(services: Services) -> None:
    for number in range(5):
        turn(services, number)
    services.conversation.clear(OWN)
    for name in ("first", "second", "third"):
        chat(services, name)
    lower: Any = {"limits.chats": 3, "limits.messages": 3}
    services.settings.attach(services.database)
    told = retention.excess(services.database, OWN, services.settings.with_values(lower))
    services.settings.set(lower)
    services.enforce_limits()
    assert evicted(services) == (len(told.chats), told.messages)
