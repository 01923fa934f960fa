"""sessions.list with a query: which chats are found, in what order, and what is told of them."""

from typing import Any

import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import OTHER_PROFILE, OWN, STRANGER, prune, say

from sidekeep.domain.chat import ChatId
from sidekeep.domain.scope import Scope
from sidekeep.service import in_memory
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.chats import Listed
from sidekeep.service.services import Services
from sidekeep.store import entries, transcripts
from sidekeep.store.archived import Wanted

DIGEST_CHARS = 100_000


def _chat(services: Services, name: str, *messages: dict[str, Any], scope: Scope = OWN) -> ChatId:
    """A saved chat, and no live conversation."""
    for message in messages:
        services.conversation.append(scope, message)
    chat_id = ChatId(services.conversation.get(scope, "none")[1])
    services.chats.rename(scope, chat_id, name)
    services.conversation.clear(scope)
    return chat_id


def _search(services: Services, query: str, *, scope: Scope = OWN, **params: Any) -> Listed:
    return services.chats.page(scope, query=query, **{"limit": 50, "offset": 0, **params})


def _names(services: Services, query: str, **params: Any) -> list[str]:
    return [chat.name for chat, _ in _search(services, query, **params).chats]


def test_names_come_first_then_the_query_as_typed_then_the_latest(services: Services) -> None:
    _chat(services, "The blue heron again", say("x"))
    _chat(services, "Content apart, older", say("a heron, so blue"))
    _chat(services, "Content as typed", say("I saw a blue heron"))
    _chat(services, "Content apart", say("blue is the heron"))
    _chat(services, "Blue Heron", say("y"))
    _chat(services, "Nothing", say("blue"))
    assert _names(services, "blue heron") == [
        *("Blue Heron", "The blue heron again", "Content as typed", "Content apart", "Content apart, older")
    ]


def test_what_only_the_content_has_is_marked_and_shown(services: Services) -> None:
    by_name = _chat(services, "A heron", say("x"))
    by_both = _chat(services, "Heron", say("the heron stands"))
    by_content = _chat(services, "Birds", say("x"), say("It is a\nHERON.", role="assistant"))
    matches = _search(services, "heron").matches
    assert {chat_id: tuple(shown) for chat_id, shown in matches.items()} == {
        by_name: (False, None),
        by_both: (False, "the heron stands"),
        by_content: (True, "It is a HERON."),
    }


def test_a_list_without_a_query_tells_nothing_of_matches(services: Services) -> None:
    _chat(services, "A", say("x"))
    for blank in ("", " \n"):
        listed = _search(services, blank)
        assert (listed.total, listed.matches, listed.archived_matches) == (1, {}, 0)


def test_a_page_counts_all_that_match(services: Services) -> None:
    for number in range(5):
        _chat(services, f"Chat {number}", say("heron" if number else "owl"))
    listed = _search(services, "heron", limit=2, offset=1)
    assert ([chat.name for chat, _ in listed.chats], listed.total) == (["Chat 3", "Chat 2"], 4)
    assert len(listed.matches) == 2


def test_a_text_is_found_beyond_its_digest(services: Services) -> None:
    chat_id = _chat(services, "Long", say("x " * DIGEST_CHARS), say("and a heron"))
    assert list(_search(services, "heron").matches) == [chat_id]


def test_an_attachment_is_found_and_shown_without_its_header(services: Services) -> None:
    page = PageToAttach(url="https://example.org/b", title="Birds", mode="article", text="A heron stands.")
    services.attachments.add(OWN, page)
    chat_id = _chat(services, "Question", say("What does it say?"))
    for query in ("heron", "example.org/b"):
        line = _search(services, query).matches[chat_id].snippet
        assert line == "https://example.org/b Birds A heron stands."
    assert _names(services, "page context") == []


def test_a_live_conversation_that_is_no_chat_is_not_found(services: Services) -> None:
    services.conversation.append(OWN, say("an unanswered heron", role="assistant"))
    assert _names(services, "heron") == []


def test_the_chat_of_a_live_conversation_is_found_in_every_profile(services: Services) -> None:
    services.conversation.append(OWN, say("a heron"))
    assert _names(services, "heron", scope=OTHER_PROFILE) == ["a heron"]


def test_nobody_finds_what_is_somebody_elses(services: Services) -> None:
    chat_id = _chat(services, "Heron", say("a heron"), scope=STRANGER)
    services.chats.delete(STRANGER, [chat_id])
    _chat(services, "Heron too", say("a heron"), scope=STRANGER)
    listed = _search(services, "heron")
    assert (listed.total, listed.archived_matches) == (0, 0)
    assert (_search(services, "heron", scope=STRANGER).archived_matches) == 1


def test_a_chat_that_is_not_listed_is_not_found(services: Services) -> None:
    services.area.set(OWN, {"session_x": [say("a heron")]})
    assert _search(services, "heron").total == 0


def test_archives_that_match_by_name_or_text_are_counted(services: Services) -> None:
    gone: list[str] = [
        _chat(services, "Heron", say("x")),
        _chat(services, "Birds", say("a heron")),
        _chat(services, "Z", say("z")),
    ]
    _chat(services, "Kept", say("heron"))
    services.chats.delete(OWN, gone)
    prune(services)
    listed = _search(services, "heron")
    assert (listed.total, listed.archived_matches) == (1, 2)
    page, total = services.archives.page(OWN, Wanted(), query="heron", limit=1, offset=1)
    assert ([archive.name for archive in page], total) == (["Heron"], 2)


def test_what_was_removed_is_no_longer_found_in_the_chat(services: Services) -> None:
    services.conversation.append(OWN, say("first"))
    services.conversation.append(OWN, say("a heron", id="h"))
    services.conversation.remove(OWN, "h")
    listed = _search(services, "heron")
    assert (listed.total, listed.archived_matches) == (0, 1)


@pytest.mark.parametrize("query", ["x" * 10_000, '"', "a OR b", "NEAR(", "*", "heron:", "-heron", "(heron", "'; DROP"])
def test_any_query_is_answered(services: Services, query: str) -> None:
    _chat(services, "Birds", say("a heron"))
    assert _search(services, query).total == 0


def test_a_search_works_in_memory(services: Services) -> None:
    temporary = in_memory.open_beside(services, OWN)
    chat_id = _chat(temporary, "Birds", say("a heron"))
    assert list(_search(temporary, "heron").matches) == [chat_id]
    assert _search(services, "heron").total == 0


def test_a_list_tells_how_much_each_chat_holds(services: Services) -> None:
    image = {"type": "image_url", "image_url": {"url": url_of(picture(40, 40))}}
    chat_id = _chat(services, "A", say("first"), {"role": "user", "content": [image]}, say("gone", id="gone"))
    services.chats.load(OWN, chat_id)
    services.conversation.remove(OWN, "gone")
    with services.database.reading() as tx:
        session_id = entries.family(tx, OWN.namespace, chat_id)[0]
        stored = transcripts.messages(tx, session_id)
    ((_, size),) = services.chats.page(OWN, limit=10, offset=0).chats
    assert size == (2, sum(message.size for message in stored))


@pytest.mark.parametrize("chat_id", ["a\0b", "chat:", "%_", "x" * 10_000])
def test_a_chat_is_listed_and_found_whatever_its_id_is(services: Services, chat_id: str) -> None:
    index = [{"id": chat_id, "name": "odd", "createdAt": 1, "pinned": False}]
    services.area.set(OWN, {f"session_{chat_id}": [say("the body")], "savedSessions": index})
    for query in ("", "odd", "body"):
        assert [chat.id for chat, _ in _search(services, query).chats] == [chat_id]
