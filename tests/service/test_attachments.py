"""Pages that become entries of the live conversation."""

import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import OTHER_PROFILE, OWN, archived, live_messages, live_texts, say

from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service.attachments import PageToAttach
from sidekeep.service.services import Services

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
    text, refs = services.attachments.get(OWN, added.attach_id)
    assert text.endswith("\n\nText.")
    assert [services.conversation.data_url(OWN, ref) for ref in refs] == list(page.images)


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
