"""Saved chats: light in the index, verbatim in the body, shared on the disk; an emptied conversation is none of them."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, archived, chat_ids, chat_texts, live_messages, live_texts, plain, rows, say

from sidekeep import paths
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.services import Services
from sidekeep.store.checkpoint import checkpoint


def disk_bytes(home: Path) -> int:
    return sum(file.stat().st_size for file in home.glob("sidekeep.sqlite3*"))


def test_fifty_snapshots_of_the_same_pictures_take_the_space_of_one(services: Services) -> None:
    pictures = [url_of(picture(1000, 700, noisy=True)[:-number] + bytes(number)) for number in range(1, 5)]
    for url in pictures:
        content = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": url}}]
        services.conversation.append(OWN, {"role": "user", "content": content})
    original = sum(len(url) * 3 // 4 for url in pictures)
    assert original > 8_000_000
    for number in range(50):
        services.chats.save(OWN, f"snapshot {number}")
        services.chats.load(OWN, chat_ids(services)[-1])
    checkpoint(services.database, paths.locks(services.home))
    assert disk_bytes(services.home) < original + 1_600_000
    restored = plain(services.chats.get(OWN, chat_ids(services)[0], "full")[2])
    assert [message["content"][1]["image_url"]["url"] for message in restored] == pictures, "with real pixels"


def test_the_index_is_light(services: Services) -> None:
    services.conversation.append(OWN, say("x" * 60_000))
    services.conversation.append(OWN, say("y" * 60_000, role="assistant"))
    (entry,) = orjson.loads(services.area.get(OWN, ["savedSessions"])["savedSessions"])
    assert entry.keys() == {"id", "name", "createdAt", "pinned", "textDigest"}
    assert len(entry["textDigest"]) == 100_000


def test_a_loaded_chat_keeps_who_it_is_through_new_turns(services: Services) -> None:
    services.conversation.append(OWN, say("first"))
    (chat_id,) = chat_ids(services)
    services.chats.rename(OWN, chat_id, "Mine")
    services.chats.pin(OWN, chat_id, pinned=True)
    before = services.chats.get(OWN, chat_id, "none")[0]
    services.conversation.clear(OWN)
    services.chats.load(OWN, chat_id)
    services.conversation.append(OWN, say("second"))
    after = services.chats.get(OWN, chat_id, "none")[0]
    assert (after.id, after.name, after.pinned, after.created_at_ms) == (chat_id, "Mine", True, before.created_at_ms)
    assert chat_texts(services, chat_id) == ["first", "second"]


def test_a_branch_shares_the_messages_up_to_one_of_them(services: Services) -> None:
    for text in ("q1", "a1", "q2", "a2"):
        services.conversation.append(OWN, say(text, role="user" if text[0] == "q" else "assistant"))
    folder = services.folders.create(OWN, "Work").id
    services.chats.move(OWN, chat_ids(services)[0], folder)
    count = rows(services, "messages")
    branch, size = services.chats.branch(OWN, None, live_messages(services)[1]["id"])
    assert (branch.name, branch.folder, size.messages) == ("q1", folder, 2)
    assert chat_texts(services, branch.id) == ["q1", "a1"]
    assert live_texts(services) == ["q1", "a1", "q2", "a2"]
    assert rows(services, "messages") == count
    another, _ = services.chats.branch(OWN, branch.id, live_messages(services)[0]["id"])
    assert chat_texts(services, another.id) == ["q1"]


def _truncate(services: Services) -> None:
    services.conversation.truncate(OWN, live_messages(services)[0]["id"], inclusive=True)


def _remove_each(services: Services) -> None:
    for message in live_messages(services):
        services.conversation.remove(OWN, message["id"])


@pytest.mark.parametrize("empty", [_truncate, _remove_each])
def test_a_conversation_that_is_emptied_belongs_to_no_chat(services: Services, empty: Any) -> None:
    services.conversation.append(OWN, say("q"))
    services.conversation.append(OWN, say("a", role="assistant"))
    empty(services)
    assert services.conversation.get(OWN, "none") == ([], "")
    assert orjson.loads(services.area.get(OWN, ["activeSessionId"])["activeSessionId"]) == ""
    assert chat_ids(services) == [], "a chat without messages is none"
    assert sorted(text for _, texts in archived(services) for text in texts) == ["a", "q"]


def test_an_attachment_that_was_all_there_was_leaves_nothing_active(services: Services) -> None:
    attached = services.attachments.add(OWN, PageToAttach("https://example.org", "A page", "article", "text"))
    services.attachments.remove(OWN, attached.attach_id)
    assert services.conversation.get(OWN, "none") == ([], "")


def test_a_pinned_chat_stays_itself_when_its_first_question_is_edited(services: Services) -> None:
    services.conversation.append(OWN, say("q"))
    (chat_id,) = chat_ids(services)
    services.chats.pin(OWN, chat_id, pinned=True)
    services.conversation.append(OWN, say("kept"))
    services.conversation.remove(OWN, live_messages(services)[0]["id"])
    chat = services.chats.get(OWN, chat_id, "none")[0]
    assert (chat.pinned, chat_texts(services, chat_id)) == (True, ["kept"])
