"""An entry's artifact family goes as one: archived, then deleted, unless another entry names a part of it."""

import sys
from typing import Any

import pytest
from tests.support.stores import OWN, archived, chat_ids, live_texts, rows, say

from sidekeep.domain.chat import Chat, ChatId, SessionId
from sidekeep.service.services import Services
from sidekeep.store import entries, transcripts
from sidekeep.store.archived import Wanted

SUMMARY = "Both talked."


def talk(services: Services, *numbers: int) -> None:
    for number in numbers:
        services.conversation.append(OWN, say(f"question {number}"))
        services.conversation.append(OWN, say(f"answer {number}", role="assistant"))


def compacted(services: Services) -> tuple[ChatId, SessionId, SessionId]:
    """A chat that was compacted and is not open: its id, its transcript, the one from before."""
    talk(services, 1, 2, 3, 4)
    done = services.checkpoints.compact(OWN, None, SUMMARY)
    services.conversation.clear(OWN)
    return done.chat.id, done.chat.session_id, done.checkpoint.before


def entry(services: Services, chat_id: str, **fields: Any) -> SessionId:
    """Another chat's entry, as an import would leave it, with a transcript of its own."""
    with services.database.transaction() as tx:
        session_id = transcripts.create(tx, 1)
        row: Any = tx.execute("SELECT message_pk, message_id FROM messages LIMIT 1").fetchone()
        transcripts.refer(tx, session_id, [row])
        entries.put_chat(tx, OWN.namespace, Chat(ChatId(chat_id), session_id, chat_id, 1, 1, **fields))
    return session_id


def events(services: Services, session_id: SessionId) -> int:
    with services.database.reading() as tx:
        return transcripts.count(tx, session_id)


def archived_sessions(services: Services) -> dict[str, str]:
    """Session id and part of each archive."""
    found, _ = services.archives.page(OWN, Wanted(), limit=100, offset=0)
    return {archive.session_id: archive.part for archive in found}


def test_deleting_a_chat_archives_its_transcript_and_the_one_from_before_its_compaction(services: Services) -> None:
    chat_id, current, before = compacted(services)
    services.chats.delete(OWN, [chat_id])
    assert archived_sessions(services) == {current: "chat", before: "earlier"}
    assert (events(services, current), events(services, before)) == (0, 0)
    assert rows(services, "transcript_events") == 0
    assert ("deleted", [f"{who} {number}" for number in (1, 2, 3, 4) for who in ("question", "answer")]) in archived(
        services
    )


def test_a_shared_transcript_is_archived_with_the_last_chat_that_names_it(services: Services) -> None:
    chat_id, current, before = compacted(services)
    second = entry(services, "second", extra={"compactionCheckpoints": [{"preCompaction": {"sessionId": before}}]})
    services.chats.delete(OWN, [chat_id])
    assert archived_sessions(services) == {current: "chat"}
    assert events(services, before) == 8
    services.chats.delete(OWN, ["second"])
    assert archived_sessions(services) == {current: "chat", second: "chat", before: "earlier"}
    assert events(services, before) == 0


def test_a_usage_family_is_archived_when_no_other_entry_names_it(services: Services) -> None:
    talk(services, 1)
    services.conversation.clear(OWN)
    predecessor, stranger = entry(services, "predecessor"), entry(services, "stranger")
    named = entry(services, "named", usage_family=(predecessor, stranger))
    with services.database.transaction() as tx:
        entries.delete_chat(tx, OWN.namespace, "predecessor")  # only the usage family names its transcript now
    services.chats.delete(OWN, ["named"])
    assert archived_sessions(services) == {named: "chat", predecessor: "earlier"}
    assert events(services, stranger) == 1


TOPICS = ("agent:main:telegram:group:-100:topic:7", "old-topic-7", "old-topic-7.jsonl")


@pytest.mark.parametrize("chat_id", TOPICS)
def test_a_key_like_a_topics_file_and_a_marker_cause_no_look_at_any_file(services: Services, chat_id: str) -> None:
    talk(services, 1)
    services.conversation.clear(OWN)
    marker = f"sqlite:main:{chat_id}:{services.home}/agents/main/sessions.sqlite"
    entry(services, chat_id, extra={"sessionFile": marker, "sessionKey": chat_id})
    for name in (f"{chat_id}.jsonl", f"{chat_id}-topic-7.jsonl", f"{chat_id}.trajectory.jsonl"):
        (services.home / name.replace(":", "_")).write_text("{}")
    watched: list[str] = []
    is_watching = True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if is_watching and event in ("open", "os.listdir", "os.scandir", "glob.glob", "os.rename", "os.remove"):
            watched.append(f"{event} {arguments[0]}")

    sys.addaudithook(watch)  # stays for the process: it can be told to be quiet, not taken out
    services.chats.get(OWN, chat_id, "none")
    services.chats.rename(OWN, chat_id, "renamed")
    services.chats.delete(OWN, [chat_id])
    is_watching = False
    assert [what for what in watched if "jsonl" in what or "topic" in what or what.startswith(("os.", "glob"))] == []
    with services.database.reading() as tx:
        assert entries.chat(tx, OWN.namespace, chat_id) is None
    assert rows(services, "archives") == 1


def test_a_marker_stays_in_the_entry_through_every_change(services: Services) -> None:
    talk(services, 1)
    services.conversation.clear(OWN)
    unknown: Any = [{"preCompaction": {"sessionId": "gone"}, "tokensBefore": 9}]
    entry(services, "imported", extra={"sessionFile": "sqlite:main:x:/y", "compactionCheckpoints": unknown})
    services.chats.load(OWN, "imported")
    talk(services, 2)
    services.chats.pin(OWN, "imported", pinned=True)
    with services.database.reading() as tx:
        found = entries.chat(tx, OWN.namespace, "imported")
    assert found is not None
    assert found.extra["sessionFile"] == "sqlite:main:x:/y"
    assert [item.fields for item in found.checkpoints] == unknown


def test_deleting_what_is_gone_deletes_nothing_else(services: Services) -> None:
    chat_id, *_ = compacted(services)
    talk(services, 9)
    services.chats.delete(OWN, [chat_id])
    before = (chat_ids(services), live_texts(services), archived_sessions(services))
    assert services.chats.delete(OWN, [chat_id, "never there"]) == 0
    assert services.chats.delete_for_good(OWN, [chat_id])[0] == 0
    assert (chat_ids(services), live_texts(services), archived_sessions(services)) == before


def test_what_describes_a_chat_leaves_its_messages_byte_for_byte(services: Services) -> None:
    def messages() -> list[Any]:
        with services.database.reading() as tx:
            return (
                tx.execute("SELECT * FROM messages ORDER BY message_pk").fetchall()
                + tx.execute("SELECT * FROM transcript_events ORDER BY session_id, seq").fetchall()
            )

    chat_id, *_ = compacted(services)
    folder = services.folders.create(OWN, "Work").id
    before = messages()
    services.chats.rename(OWN, chat_id, "Another name")
    services.chats.pin(OWN, chat_id, pinned=True)
    services.chats.move(OWN, chat_id, folder)
    services.area.set(OWN, {"savedSessions": [{"id": chat_id, "name": "Retitled", "pinned": False, "createdAt": 1}]})
    services.folders.delete(OWN, folder)
    assert messages() == before
