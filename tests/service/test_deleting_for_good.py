"""Deleting for good leaves nothing: no row, no archive, no picture, no trace in the store's files; and names the backups."""

from pathlib import Path

import pytest
from tests.service.test_families import talk
from tests.support.pictures import picture, url_of
from tests.support.stores import OTHER_PROFILE, OWN, chat_ids, listen, live_messages, live_texts, rows, say

from sidekeep import paths
from sidekeep.domain.message import StoredMessage
from sidekeep.errors import StoreBusy
from sidekeep.service.services import Services
from sidekeep.store import entries, traces, transcripts
from sidekeep.store.backups import Backups, Plan
from sidekeep.store.database import Database

SECRET = "the unspeakable heron"


def written(home: Path) -> bytes:
    """All that lies in the store's files."""
    return b"".join(file.read_bytes() for file in home.glob("sidekeep.sqlite3*"))


def without_traces(services: Services) -> bytes:
    traces.remove(services.database, paths.locks(services.home))
    return written(services.home)


@pytest.fixture
def chat_id(services: Services) -> str:
    """A chat with a past: compacted, edited, with a picture, open in another profile. The rest of the store stays."""
    services.conversation.append(OWN, say("something else that stays"))
    services.conversation.clear(OWN)
    content = [{"type": "text", "text": SECRET}, {"type": "image_url", "image_url": {"url": url_of(picture(500, 400))}}]
    services.conversation.append(OWN, {"role": "user", "content": content, "id": "heron-1"})
    services.conversation.append(OWN, say(f"{SECRET} 2", role="assistant", id="heron-2"))
    services.conversation.remove(OWN, "heron-2")
    talk(services, 1, 2, 3, 4)
    done = services.checkpoints.compact(OWN, None, SECRET)
    services.chats.rename(OWN, done.chat.id, SECRET)
    services.chats.load(OTHER_PROFILE, done.chat.id)
    return done.chat.id


def test_nothing_of_it_is_left(services: Services, chat_id: str) -> None:
    heard = listen(services, OTHER_PROFILE)
    deleted, erased = services.chats.delete_for_good(OWN, [chat_id])
    assert deleted == 1
    assert {"heron-1", "heron-2"} <= erased.message_ids
    assert erased.bytes > 0
    assert (live_texts(services), live_texts(services, OTHER_PROFILE)) == ([], [])
    assert (rows(services, "messages"), rows(services, "archives"), rows(services, "blobs")) == (1, 0, 0)
    assert any("history" in change for change in heard()), "the other profile's panel hears of it"
    assert rows(services, "search_texts") == 1
    left = without_traces(services)
    for trace in (SECRET, "heron", "question 3"):
        assert trace.encode() not in left
    assert b"something else that stays" in left


def test_what_another_chat_has_too_stays_there(services: Services, chat_id: str) -> None:
    branch, _ = services.chats.branch(OWN, chat_id, live_messages(services)[0]["id"])
    services.chats.delete_for_good(OWN, [chat_id])
    assert [message.role for message in _messages(services, branch.id)] == ["user"]
    assert SECRET.encode() in without_traces(services)
    services.chats.delete_for_good(OWN, [branch.id])
    assert SECRET.encode() not in without_traces(services)


def _messages(services: Services, chat_id: str) -> list[StoredMessage]:
    with services.database.reading() as tx:
        chat = entries.chat(tx, OWN.namespace, chat_id)
        assert chat is not None
        return transcripts.messages(tx, chat.session_id)


def test_a_body_that_is_no_conversation_leaves_no_trace_either(services: Services, chat_id: str) -> None:
    services.area.set(OWN, {f"session_{chat_id}": {"odd": SECRET}})
    services.chats.delete_for_good(OWN, [chat_id])
    assert SECRET.encode() not in without_traces(services)


def test_a_reader_holds_the_removal_of_traces_up_and_it_is_tried_again(services: Services, chat_id: str) -> None:
    other = Database(services.database.path)
    with other.reading() as tx:
        tx.execute("SELECT count(*) FROM messages").fetchall()
        services.chats.delete_for_good(OWN, [chat_id])
        services.database.connection().set_busy_timeout(0)
        with pytest.raises(StoreBusy):
            traces.remove(services.database, paths.locks(services.home))
        with services.database.reading() as mine:
            assert traces.left(mine) is not None
    assert SECRET.encode() not in without_traces(services)
    with services.database.reading() as mine:
        assert traces.left(mine) is None
    other.close()


def test_the_backups_that_still_have_it_are_named(services: Services, chat_id: str) -> None:
    backups = Backups(services.home)
    before = backups.make(services.database, Plan(), now_ms=1_700_000_000_000).backup
    services.chats.delete_for_good(OWN, [chat_id])
    after = backups.make(services.database, Plan(), now_ms=1_700_086_400_000).backup
    services.conversation.append(OWN, say("and another", id="another"))
    (other,) = [found for found in chat_ids(services) if found != chat_id][:1]
    assert after.path.exists()
    erased = services.chats.delete_for_good(OWN, [other])[1]
    assert services.backups_holding(erased) == []
    assert services.backups_holding(type(erased)(frozenset(("heron-1",)))) == [str(before.path)]


def test_purging_names_the_backups_too(services: Services, chat_id: str) -> None:
    services.chats.delete(OWN, [chat_id])
    backup = Backups(services.home).make(services.database, Plan(), now_ms=1_700_000_000_000).backup
    _, erased = services.archives.purge(OWN, None, 2**53)
    assert services.backups_holding(erased) == [str(backup.path)]
