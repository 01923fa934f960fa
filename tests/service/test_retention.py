"""What limits would remove of a real store."""

from typing import Any

import pytest
from tests.support.stores import OTHER_PROFILE, OWN, STRANGER, say

from sidekeep.domain.chat import ChatId
from sidekeep.domain.scope import Scope
from sidekeep.service import retention
from sidekeep.service.services import Services
from sidekeep.settings.model import Settings


def _chat(services: Services, name: str, messages: int = 1, *, scope: Scope = OWN) -> ChatId:
    """A saved chat that is not open."""
    for number in range(messages):
        services.conversation.append(scope, say(f"{name} {number}"))
    chat_id = ChatId(services.conversation.get(scope, "none")[1])
    services.conversation.clear(scope)
    return chat_id


def _leaving(services: Services, scope: Scope = OWN, running: Any = (), **limits: Any) -> tuple[list[str], int]:
    found = retention.excess(services.database, scope, Settings()._replace(**limits), lambda chat: chat in running)
    return [chat.name for chat, _ in found.chats], found.messages


def test_the_oldest_by_activity_would_leave(services: Services) -> None:
    for name in ("a", "b", "c"):
        _chat(services, name)
    assert _leaving(services, limit_chats=3) == ([], 0)
    assert _leaving(services, limit_chats=1) == (["a 0", "b 0"], 0)
    assert _leaving(services, limit_chats=0) == ([], 0)


def test_what_leaves_is_given_with_its_size(services: Services) -> None:
    _chat(services, "a", 3)
    _chat(services, "b")
    found = retention.excess(services.database, OWN, Settings(limit_chats=1))
    assert [size.messages for _, size in found.chats] == [3]


def test_messages_over_the_limit_are_those_of_the_chats_that_stay(services: Services) -> None:
    _chat(services, "long and old", 9)
    _chat(services, "long", 5)
    _chat(services, "short", 2)
    assert _leaving(services, limit_messages=3) == ([], 6 + 2)
    assert _leaving(services, limit_messages=3, limit_chats=2) == (["long and old 0"], 2)
    assert _leaving(services, limit_messages=0) == ([], 0)


@pytest.mark.parametrize("scope", [OWN, OTHER_PROFILE], ids=["this profile", "another profile"])
def test_a_chat_that_is_open_stays(services: Services, scope: Scope) -> None:
    services.conversation.append(scope, say("open"))
    _chat(services, "b", scope=STRANGER)
    other = OTHER_PROFILE if scope == OWN else OWN
    _chat(services, "later", scope=other)
    assert _leaving(services, limit_chats=1) == (["later 0"], 0)


def test_a_chat_that_is_being_answered_stays(services: Services) -> None:
    running = _chat(services, "running")
    _chat(services, "later")
    assert _leaving(services, limit_chats=1, running={running}) == (["later 0"], 0)


def test_another_extensions_chats_are_its_own(services: Services) -> None:
    _chat(services, "ours", 5)
    _chat(services, "theirs", 5, scope=STRANGER)
    _chat(services, "theirs too", 1, scope=STRANGER)
    assert _leaving(services, STRANGER, limit_chats=1, limit_messages=4) == (["theirs 0"], 0)


def test_nothing_is_removed_by_looking(services: Services) -> None:
    _chat(services, "a", 5)
    _chat(services, "b", 5)
    before = _leaving(services, limit_chats=1, limit_messages=1)
    assert _leaving(services, limit_chats=1, limit_messages=1) == before
    assert len(services.chats.page(OWN, limit=10, offset=0).chats) == 2
