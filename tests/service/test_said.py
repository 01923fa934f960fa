"""What a request is made from: rows, what is kept beside them, the person's settings."""

from typing import Any

import orjson
import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, live_messages, say

from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import SAW_MEMBER
from sidekeep.request.build import RequestSettings
from sidekeep.request.fit import WHOLE, Cut
from sidekeep.request.measure import text_tokens
from sidekeep.request.view import Entry, Image
from sidekeep.service import said
from sidekeep.service.services import Services
from sidekeep.store import entries, transcripts
from sidekeep.store.database import Transaction

PICTURE = url_of(picture(60, 40))


def _look(name: str) -> dict[str, Any]:
    content = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": PICTURE}}]
    return {"role": "user", "content": content, "id": name}


def _session_in(tx: Transaction) -> SessionId:
    own = entries.live(tx, OWN)
    assert own is not None
    return own.session_id


def _session(services: Services) -> SessionId:
    with services.database.reading() as tx:
        return _session_in(tx)


def _entries(services: Services) -> tuple[Entry, ...]:
    session = _session(services)
    with services.database.reading() as tx:
        return said.entries(tx, session)


def _seen(services: Services) -> list[bool]:
    return [entry.images_seen for entry in _entries(services) if entry.images]


def test_pictures_are_seen_while_an_answer_that_was_given_them_is_there(services: Services) -> None:
    first, second = (services.conversation.append(OWN, _look(name))[0] for name in ("m1", "m2"))
    answer, _ = services.conversation.append(OWN, say("A cat.", role="assistant", **{SAW_MEMBER: [first]}))
    assert _seen(services) == [True, False]
    assert [message.get("imagesSeen") for message in live_messages(services)] == [True, None, None]
    services.conversation.remove(OWN, answer)
    assert _seen(services) == [False, False]
    assert second == "m2"


def test_storage_gives_a_history_back_without_the_mark(services: Services) -> None:
    history = [_look("m1"), say("A cat.", role="assistant", id="m2", **{SAW_MEMBER: ["m1"]})]
    services.area.set(OWN, {"history": history})
    assert orjson.loads(services.area.get(OWN, ["history"])["history"]) == history
    assert _seen(services) == [True]


def test_what_is_known_of_a_picture_comes_from_the_store(services: Services) -> None:
    services.conversation.append(OWN, _look("m1"))
    (entry,) = _entries(services)
    (_, image) = entry.parts
    assert isinstance(image, Image)
    assert (image.width, image.height, image.size > 0, image.thumbnail_size) == (60, 40, True, 0)


def test_an_estimate_is_made_once_and_kept_beside_the_message(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.conversation.append(OWN, say("How many tokens are these?"))
    made: list[str] = []

    def counted(entry: Entry) -> int:
        made.append(entry.message_id)
        return text_tokens(entry)

    monkeypatch.setattr(said, "text_tokens", counted)
    with services.database.reading() as tx:
        rows: dict[str, int] = {name: row for row, name in transcripts.references(tx, _session_in(tx))}
    for _ in range(2):
        (entry,) = said.estimated(services.database, _entries(services), rows)
        assert entry.tokens == text_tokens(entry)
    assert len(made) == 1


def test_an_estimate_that_cannot_be_kept_is_there_all_the_same(services: Services) -> None:
    services.conversation.append(OWN, say("How many?"))
    found = _entries(services)
    services.database.close()
    (entry,) = said.estimated(services.database, found, {"gone": 1})
    assert entry.tokens is not None


def test_where_a_request_was_cut_is_kept_with_the_conversation(services: Services) -> None:
    services.conversation.append(OWN, say("q"))
    session, cut = _session(services), Cut("m3", "m5", ("m1", 4_000))
    with services.database.transaction() as tx:
        assert said.cut(tx, session) == WHOLE
        said.keep_cut(tx, session, cut)
        assert said.cut(tx, session) == cut
        said.keep_cut(tx, session, WHOLE)
        assert said.cut(tx, session) == WHOLE


@pytest.mark.parametrize(
    ("window", "found"),
    [
        ({"mode": "tail", "messages": 5, "chars": 100}, ("tail", 5, 100)),
        ({"mode": "full"}, ("full", 12, 8_000)),
        ({"mode": "tail", "messages": 0, "chars": "many"}, ("tail", 12, 8_000)),
        ({"mode": "new", "messages": True}, ("full", 12, 8_000)),
        ("tail", ("full", 12, 8_000)),
    ],
)
def test_the_window_is_read_from_the_storage_area(services: Services, window: Any, found: tuple[str, int, int]) -> None:
    services.area.set(OWN, {"requestWindow": window, "systemPrompt": 5})
    with services.database.reading() as tx:
        settings = said.settings(tx, OWN, 5_000_000)
    assert (settings.window, settings.tail_messages, settings.tail_characters) == found
    assert settings == RequestSettings("", "", *found, max_bytes=5_000_000)
