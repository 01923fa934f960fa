"""The store says what of its rows does not agree, and puts it right without losing what somebody wrote."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, archived, chat_ids, chat_texts, open_services, say

from sidekeep.service.services import Services
from sidekeep.store import health

NOW_MS = 1_800_000_000_000


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(tmp_path) as opened:
        for text in ("one", "two"):
            opened.conversation.append(OWN, say(text))
        shown = [{"type": "image_url", "image_url": {"url": url_of(picture(2, 2))}}]
        opened.conversation.append(OWN, say("", content=shown))
        opened.conversation.clear(OWN)
        yield opened


def _complaints(services: Services) -> list[health.Complaint]:
    with services.database.reading() as tx:
        return list(health.complaints(tx))


def test_a_store_in_use_has_nothing_to_complain_of(services: Services) -> None:
    assert _complaints(services) == []
    with services.database.transaction() as tx:
        health.repair(tx, NOW_MS)
    assert _complaints(services) == []
    assert chat_texts(services, chat_ids(services)[0])[:2] == ["one", "two"]


DAMAGE = {
    "DELETE FROM messages WHERE message_pk = 2": "lead to no message",
    "DELETE FROM transcript_events WHERE message_pk = 1": "belong to no place",
    "DELETE FROM sessions WHERE session_id IN (SELECT session_id FROM session_entries WHERE kind = 'chat')": "not there",
    "DELETE FROM session_entries WHERE kind = 'chat'": "entries that are not there",
    "INSERT INTO messages SELECT 99, 'm', role, 1, NULL, 1, 1, body FROM messages WHERE message_pk = 1": "in no transcript",
    "DELETE FROM blobs": "that messages show are not there",
    "INSERT INTO blobs VALUES (99, zeroblob(32), 1, 1, 1, NULL, x'00')": "belong to no message and no archive",
    "DELETE FROM entry_families": "not noted",
    "DELETE FROM search_texts WHERE message_pk = 1": "index",
}


@pytest.mark.parametrize("statement", DAMAGE)
def test_what_does_not_agree_is_told_and_put_right(services: Services, statement: str) -> None:
    with services.database.in_use() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
        connection.execute("PRAGMA foreign_keys = ON")
    found = _complaints(services)
    assert any(DAMAGE[statement] in each.text for each in found), found
    with services.database.transaction() as tx:
        health.repair(tx, NOW_MS)
    with services.database.transaction() as tx:
        health.repair(tx, NOW_MS)  # what one repair brings to light
    assert _complaints(services) == []


def test_a_transcript_that_no_entry_names_goes_to_the_archive(services: Services) -> None:
    with services.database.transaction() as tx:
        tx.execute("DELETE FROM session_entries WHERE kind = 'chat'")
        health.repair(tx, NOW_MS)
    assert [contents[:2] for _, contents in archived(services)] == [["one", "two"]]


def test_a_repair_takes_no_chat_away(services: Services) -> None:
    with services.database.transaction() as tx:
        tx.execute("DELETE FROM entry_families")
        health.repair(tx, NOW_MS)
    assert chat_texts(services, chat_ids(services)[0])[:2] == ["one", "two"]
    assert archived(services) == []


def test_a_picture_that_is_another_now_is_told_and_cannot_be_put_right(services: Services) -> None:
    with services.database.transaction() as tx:
        tx.execute("UPDATE blobs SET data = x'00'")
        health.repair(tx, NOW_MS)
    assert [(each.text.partition(".")[0], each.is_repairable) for each in _complaints(services)] == [
        ("1 pictures are not what they were", False)
    ]
