"""The archive: found, read, given back, purged."""

from typing import Any

import pytest
from tests.support.pictures import picture, url_of
from tests.support.stores import (
    OWN,
    STRANGER,
    chat_ids,
    chat_texts,
    live_messages,
    live_texts,
    open_services,
    plain,
    prune,
    rows,
    say,
)

from sidekeep.errors import NotFound
from sidekeep.service.archive import Archives
from sidekeep.service.limits import NO_LIMITS
from sidekeep.service.services import Services
from sidekeep.store.archived import Archive, Wanted

PICTURE = url_of(picture(60, 40))


def archives(services: Services, query: str = "", **wanted: Any) -> list[Archive]:
    found, total = services.archives.page(OWN, Wanted(**wanted), query=query, limit=100, offset=0)
    assert len(found) == total
    return found


def deleted_chat(services: Services, *texts: str) -> str:
    for text in texts:
        services.conversation.append(OWN, say(text))
    chat_id = services.conversation.get(OWN, "none")[1]
    services.conversation.clear(OWN)
    services.chats.delete(OWN, [chat_id])
    return chat_id


@pytest.mark.parametrize("pruned", [False, True], ids=["rows still there", "rows gone"])
def test_a_deleted_chat_comes_back_as_it_was(services: Services, *, pruned: bool) -> None:
    message: Any = {
        "role": "user",
        "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": PICTURE}}],
        "odd": {"kept": [1.5, None]},
        "attachId": "a",
    }
    services.conversation.append(OWN, say("first"))
    services.conversation.append(OWN, message)
    (chat_id,) = chat_ids(services)
    before = plain(services.chats.get(OWN, chat_id, "full")[2])
    services.conversation.clear(OWN)
    services.chats.delete(OWN, [chat_id])
    if pruned:
        prune(services)
        assert rows(services, "messages") == 0
    (archive,) = archives(services)
    shown = plain(services.archives.get(OWN, archive.id, "full")[1])
    assert shown == before
    chat, size = services.archives.restore(OWN, archive.id)
    assert chat.id != chat_id
    assert (chat.name, size.messages) == ("first", 2)
    assert plain(services.chats.get(OWN, chat.id, "full")[2]) == before
    assert archives(services) == []
    services.chats.load(OWN, chat.id)
    assert plain(services.conversation.get(OWN, "full")[0]) == before


def test_rows_that_another_chat_kept_are_shared_again(services: Services) -> None:
    services.conversation.append(OWN, say("shared"))
    copy, _ = services.chats.save(OWN, "a copy")
    services.conversation.clear(OWN)
    services.chats.delete(OWN, [copy.id])
    prune(services)
    services.archives.restore(OWN, archives(services)[0].id)
    assert rows(services, "messages") == 1


def test_a_key_that_was_given_again_is_not_taken_for_the_old_row(services: Services) -> None:
    deleted_chat(services, "old")
    prune(services)
    services.conversation.append(OWN, say("new"))
    assert rows(services, "messages") == 1, "and it has the old one's key"
    services.archives.restore(OWN, archives(services)[0].id)
    assert sorted(chat_texts(services, chat_id)[0] for chat_id in chat_ids(services)) == ["new", "old"]


def test_archives_are_found_by_reason_by_eviction_and_by_what_they_say(services: Services) -> None:
    services.conversation.append(OWN, say("nobody asked", attachId="x"))
    services.conversation.clear(OWN)
    deleted_chat(services, "lighthouses in 日本", "blink")
    deleted_chat(services, "C++ templates")
    assert [archive.reason for archive in archives(services)] == ["deleted", "deleted", "reset"]
    assert [archive.name for archive in archives(services, reason="deleted")] == [
        "C++ templates",
        "lighthouses in 日本",
    ]
    assert archives(services, evicted=True) == []
    assert [archive.messages for archive in archives(services, "BLINK")] == [2]
    assert [archive.name for archive in archives(services, "c++")] == ["C++ templates"]
    assert archives(services, "templates", reason="reset") == []
    first = services.archives.page(OWN, Wanted(), limit=1, offset=1)
    assert ([archive.messages for archive in first[0]], first[1]) == ([2], 3)


def test_an_edit_goes_to_the_archive_as_a_part_of_its_chat(services: Services) -> None:
    for text in ("q1", "q2", "q3"):
        services.conversation.append(OWN, say(text))
    services.conversation.truncate(OWN, live_messages(services)[1]["id"], inclusive=True)
    (archive,) = archives(services)
    assert (archive.part, archive.name, archive.chat_id, archive.messages) == (
        "messages",
        "q1",
        chat_ids(services)[0],
        2,
    )
    services.archives.restore(OWN, archive.id)
    assert sorted(chat_texts(services, chat_id) for chat_id in chat_ids(services)) == [["q1"], ["q2", "q3"]]
    assert live_texts(services) == ["q1"]


def test_purging_gives_the_space_back(services: Services) -> None:
    content = [{"type": "image_url", "image_url": {"url": url_of(picture(900, 700, noisy=True))}}]
    services.conversation.append(OWN, {"role": "user", "content": content})
    services.conversation.clear(OWN)
    services.chats.delete(OWN, chat_ids(services))
    (archive,) = archives(services)
    purged, erased = services.archives.purge(OWN, [archive.id, "never there"], None)
    assert purged == 1
    assert erased.bytes > 1_000_000
    assert (rows(services, "archives"), rows(services, "blobs"), rows(services, "messages")) == (0, 0, 0)


def test_purging_spares_pictures_that_something_else_shows(services: Services) -> None:
    content = [{"type": "image_url", "image_url": {"url": PICTURE}}]
    services.conversation.append(OWN, {"role": "user", "content": content})
    services.conversation.append(OWN, {"role": "user", "content": content})
    services.conversation.remove(OWN, live_messages(services)[0]["id"])
    services.archives.purge(OWN, None, 2**53)
    assert rows(services, "blobs") == 1
    assert plain(services.conversation.get(OWN, "full")[0])[0]["content"][0]["image_url"]["url"] == PICTURE


def test_another_extensions_archive_is_its_own(services: Services) -> None:
    deleted_chat(services, "mine")
    (archive,) = archives(services)
    assert services.archives.page(STRANGER, Wanted(), limit=9, offset=0) == ([], 0)
    for call in (
        lambda: services.archives.get(STRANGER, archive.id, "none"),
        lambda: services.archives.restore(STRANGER, archive.id),
    ):
        with pytest.raises(NotFound):
            call()
    assert services.archives.purge(STRANGER, [archive.id], None)[0] == 0
    assert services.archives.purge(STRANGER, None, 2**53)[0] == 0
    assert archives(services) == [archive]


DAY_MS = 86_400_000
YEAR_MS = 365 * DAY_MS


def _left_after(services: Services, days: int, *looks_ms: int) -> int:
    """How many archives are left when a host has looked for expired ones at those times."""
    for now_ms in looks_ms:
        Archives(services.database, lambda: now_ms, NO_LIMITS).expire(days)  # noqa: B023  called at once
    return rows(services, "archives")


def test_archives_expire_after_the_days_that_were_set(tmp_path: Any) -> None:
    with open_services(tmp_path / "home") as services:
        deleted_chat(services, "old")
        (at_ms,) = (archive.archived_at_ms for archive in archives(services))
        due_ms = at_ms + 3 * DAY_MS
        assert _left_after(services, 0, *(at_ms + day * DAY_MS for day in range(10))) == 1, "0 is never"
        assert _left_after(services, 3, *(due_ms - look for look in range(5))) == 1
        assert _left_after(services, 3, due_ms + 1, due_ms + 2, due_ms + 1 + DAY_MS) == 1, "due on two days so far"
        assert _left_after(services, 3, due_ms + 1 + 2 * DAY_MS) == 0


def test_a_clock_that_jumps_and_comes_back_expires_nothing(tmp_path: Any) -> None:
    with open_services(tmp_path / "home") as services:
        deleted_chat(services, "kept")
        (at_ms,) = (archive.archived_at_ms for archive in archives(services))
        ahead = (at_ms + 10 * YEAR_MS, at_ms + 10 * YEAR_MS + DAY_MS)
        for looks in (ahead, (at_ms,), ahead, (at_ms - YEAR_MS,), ahead, (at_ms + DAY_MS,)):
            assert _left_after(services, 30, *looks) == 1
