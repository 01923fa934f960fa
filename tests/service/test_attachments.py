"""Pages that become entries of the live conversation."""

import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import (
    OTHER_PROFILE,
    OWN,
    archived,
    chat_ids,
    chat_texts,
    live_messages,
    live_texts,
    prune,
    rows,
    say,
    ticking_clock,
)

from sidekeep.domain.shortened import Reason
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.services import Services
from sidekeep.service.shortening import shorten_live
from sidekeep.service.writing import Writes
from sidekeep.store import search_index

PAGE = PageToAttach(
    url="https://user:secret@example.org/a", title="A\nMode: fake", mode="article", text="Text.\n---\nMore."
)


def test_a_page_is_added_with_its_header_and_without_credentials(services: Services) -> None:
    added = services.attachments.add(OWN, PAGE)
    assert (added.title, added.chars, added.images) == ("A Mode: fake", len(PAGE.text), 0)
    (message,) = live_messages(services)
    assert message["attachId"] == added.attach_id
    assert message["content"] == (
        "[Page context attached by sidekeep]\nURL: https://example.org/a\nTitle: A Mode: fake\nMode: article\n---\n\n"
        "Text.\n---\nMore."
    )


def test_the_original_is_given_back_with_its_pictures(services: Services) -> None:
    page = PageToAttach(
        url="https://e.org/", title="t", mode="m", text="Text.", images=(url_of(picture(9, 9)), url_of(picture(8, 8)))
    )
    added = services.attachments.add(OWN, page)
    original = services.attachments.get(OWN, added.attach_id)
    assert original.text.endswith("\n\nText.")
    assert original.summary is None
    assert [services.conversation.data_url(OWN, ref) for ref in original.images] == list(page.images)


def _shorten(services: Services, attach_id: str, content: str, reason: Reason = "rescued") -> None:
    with Writes(services.database, ticking_clock()).begin(OWN) as write:
        shorten_live(write, {attach_id: content, "another": "nothing"}, reason)


@pytest.mark.parametrize("reason", ["rescued", "summarized"])
def test_what_was_shortened_gives_its_original_and_takes_it_back(services: Services, reason: Reason) -> None:
    page = PageToAttach(url="https://e.org/", title="t", mode="m", text="Long.", images=(url_of(picture(9, 9)),))
    added = services.attachments.add(OWN, page)
    services.conversation.append(OWN, say("question"))
    (before,) = (message for message in live_messages(services) if message.get("attachId"))
    verbatim = services.area.get(OWN, ("history",))
    _shorten(services, added.attach_id, "short", reason)
    assert live_texts(services) == ["short", "question"]
    assert chat_texts(services, chat_ids(services)[0]) == ["short", "question"]
    original = services.attachments.get(OWN, added.attach_id)
    assert original.text.endswith("Long.")
    assert original.summary == ("short" if reason == "summarized" else None)
    assert [services.conversation.data_url(OWN, ref) for ref in original.images] == list(page.images)
    services.attachments.restore(OWN, added.attach_id)
    services.attachments.restore(OWN, added.attach_id)
    assert live_messages(services)[0] == before
    assert services.area.get(OWN, ("history",)) == verbatim
    assert chat_texts(services, chat_ids(services)[0]) == [before["content"], "question"]


def test_a_snapshot_keeps_what_it_had_and_a_search_finds_what_was_attached(services: Services) -> None:
    added = services.attachments.add(OWN, PageToAttach(url="https://e.org/", title="t", mode="m", text="Unicorns."))
    services.conversation.append(OWN, say("question"))
    snapshot = services.chats.save(OWN, None)[0]
    _shorten(services, added.attach_id, "short")
    assert chat_texts(services, snapshot.id)[0].endswith("Unicorns.")
    assert live_texts(services)[0] == "short"
    prune(services)
    with services.database.reading() as tx:
        assert list(search_index.complaints(tx)) == []


def test_nothing_but_the_rows_in_use_is_left_after_a_change_and_its_undoing(services: Services) -> None:
    added = services.attachments.add(OWN, PAGE)
    services.conversation.append(OWN, say("question"))
    for _ in range(3):
        _shorten(services, added.attach_id, "short")
        services.attachments.restore(OWN, added.attach_id)
    prune(services)
    assert rows(services, "messages") == 2


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_an_empty_page_is_refused_with_a_plain_sentence(services: Services, text: str) -> None:
    with pytest.raises(InvalidParams, match="no readable text"):
        services.attachments.add(OWN, PageToAttach(url="https://e.org/", title="t", mode="m", text=text))
    assert live_messages(services) == []


def test_a_removed_attachment_is_archived_and_gone(services: Services) -> None:
    added = services.attachments.add(OWN, PAGE)
    services.conversation.append(OWN, say("question"))
    services.attachments.remove(OWN, added.attach_id)
    assert live_texts(services) == ["question"]
    assert archived(services)[0][0] == "deleted"
    with pytest.raises(NotFound):
        services.attachments.remove(OWN, added.attach_id)
    with pytest.raises(NotFound):
        services.attachments.get(OWN, added.attach_id)


def test_an_attachment_belongs_to_its_profile(services: Services) -> None:
    added = services.attachments.add(OWN, PAGE)
    with pytest.raises(NotFound):
        services.attachments.get(OTHER_PROFILE, added.attach_id)
