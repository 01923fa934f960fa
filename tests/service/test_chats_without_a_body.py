"""Chats that the index names and nobody has a body for: `savedSessions` set alone, or adopted so."""

from tests.support.stores import OWN, live_texts, say

from sidekeep.service.services import Services


def test_a_chat_without_a_body_can_be_opened_and_gone_on_with(services: Services) -> None:
    services.area.set(OWN, {"savedSessions": [{"id": "a", "name": "Only a name"}]})
    services.chats.load(OWN, "a")
    services.conversation.append(OWN, say("a question"))
    assert live_texts(services) == ["a question"]
    assert len(services.chats.get(OWN, "a", "none")[2]) == 1


def test_a_new_chat_can_be_begun_after_one_without_a_body(services: Services) -> None:
    services.area.set(OWN, {"savedSessions": [{"id": "a", "name": "Only a name"}]})
    services.chats.load(OWN, "a")
    services.area.set(OWN, {"history": [say("set")]})
    services.conversation.clear(OWN)
    assert live_texts(services) == []
