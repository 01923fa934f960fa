"""Imports: other programs' files become chats; a second time nothing is added, and what grew is continued."""

import itertools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support import exports
from tests.support.pictures import picture
from tests.support.stores import (
    OWN,
    chat_ids,
    chat_texts,
    listen,
    live_texts,
    open_services,
    plain,
    rows,
    say,
)

from sidekeep.errors import StoreBusy
from sidekeep.service.import_run import Report
from sidekeep.service.services import Services
from sidekeep.store import imports
from sidekeep.store.archived import Wanted

SAMPLES = sorted(exports.SHARED_SAMPLES.glob("*.json"))
COUNTED = ("archives", "blobs", "imports", "messages", "session_entries", "sessions", "transcript_events")


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "export.json"


def _counts(report: Report) -> dict[str, int]:
    return {outcome: count for outcome, count in report.counts.items() if count}


def _run(services: Services, *files: Path, dry_run: bool = False) -> dict[str, int]:
    report = services.imports.run(OWN, files, dry_run=dry_run)
    assert report.failed == []
    return _counts(report)


def _written(file: Path, *records: Any) -> Path:
    file.write_bytes(orjson.dumps(list(records)))
    return file


def _state(services: Services) -> dict[str, int]:
    return {table: rows(services, table) for table in COUNTED}


def _stored(services: Services) -> list[Any]:
    """Everything that a person sees of the store, times included."""
    chats = [plain(services.chats.get(OWN, chat_id, "full")[2]) for chat_id in chat_ids(services)]
    archives, _ = services.archives.page(OWN, Wanted(), limit=10_000, offset=0)
    return [chats, sorted((archive.name, archive.messages, archive.evicted) for archive in archives)]


def _limits(services: Services, **limits: int) -> None:
    services.settings.attach(services.database)
    services.settings.set({f"limits.{name}": value for name, value in limits.items()})


def test_every_sample_becomes_chats_and_a_second_time_nothing_changes(services: Services) -> None:
    first = services.imports.run(OWN, SAMPLES)
    assert _counts(first) == {"added": 24, "unchanged": 1}, "one conversation is in two of the samples"
    assert [each.where for each in first.failed] == ["openwebui-legacy.json: [3]"]
    state, stored = _state(services), _stored(services)
    assert _counts(services.imports.run(OWN, SAMPLES)) == {"unchanged": 25}
    assert (_state(services), _stored(services)) == (state, stored)


def test_a_dry_run_tells_the_same_and_writes_nothing(services: Services) -> None:
    state = _state(services)
    assert _counts(services.imports.run(OWN, SAMPLES, dry_run=True)) == {"added": 24, "unchanged": 1}
    assert _state(services) == state


def test_no_key_of_any_sample_reaches_the_store(services: Services) -> None:
    services.imports.run(OWN, SAMPLES)
    with services.database.reading() as tx:
        assert tx.serialize("main").find(b"EXAMPLE-NOT-A") == -1


def test_a_chat_has_its_source_s_name_times_pin_and_pictures(services: Services) -> None:
    services.imports.run(OWN, [exports.SHARED_SAMPLES / "openwebui-chats.json"])
    listed = {chat.name: chat for chat, _ in services.chats.page(OWN, limit=10, offset=0).chats}
    chat = listed["Orange square"]
    assert (chat.pinned, chat.created_at_ms, chat.updated_at_ms) == (True, 1_767_258_000_000, 1_767_258_031_000)
    question = plain(services.chats.get(OWN, chat.id, "full")[2])[0]
    assert question["content"][1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert question["content"][2]["missing"]["kind"] == "image"
    branch = listed["Orange square (branch)"]
    assert branch.extra["branchOf"] == {"chat": chat.id, "message": "u1"}
    assert not branch.pinned


def test_a_branch_shares_the_rows_of_what_it_has_in_common(services: Services) -> None:
    services.imports.run(OWN, [exports.SHARED_SAMPLES / "librechat-flat.json"])
    assert rows(services, "messages") == 7
    assert rows(services, "transcript_events") == 6 + 2


def test_records_that_were_kept_go_with_the_last_archive_of_their_chat(services: Services) -> None:
    fingerprint = "claude:aaaaaaaa-0000-4000-8000-000000000002"
    services.imports.run(OWN, [exports.SHARED_SAMPLES / "claude-conversations.json"])

    def kept() -> list[Any]:
        with services.database.reading() as tx:
            return imports.kept(tx, OWN.namespace, fingerprint)

    services.chats.delete(OWN, chat_ids(services))
    assert kept(), "the archive still has the chat"
    archives, _ = services.archives.page(OWN, Wanted(), limit=50, offset=0)
    services.archives.purge(OWN, [archive.id for archive in archives], None)
    assert kept() == []


def test_records_that_are_no_messages_are_kept(services: Services) -> None:
    services.imports.run(OWN, [exports.SHARED_SAMPLES / "claude-conversations.json"])
    with services.database.reading() as tx:
        kept = imports.kept(tx, OWN.namespace, "claude:aaaaaaaa-0000-4000-8000-000000000002")
    assert kept[0]["content"][1] == {"type": "some_future_type", "payload": {"x": 1}}


def _grown(*answers: str) -> dict[str, Any]:
    """A conversation of LibreChat: a question and so many answers, each to the one before."""
    grown = exports.librechat(1)
    for number, text in enumerate(answers):
        last = grown["messages"][-1]["messageId"]
        grown["messages"].append(
            {
                "messageId": f"m{number}",
                "parentMessageId": last,
                "text": text,
                "createdAt": f"2027-01-01T00:00:0{number}Z",
            }
        )
    return grown


def test_what_grew_is_continued_in_its_chat(services: Services, file: Path) -> None:
    assert _run(services, _written(file, _grown())) == {"added": 1}
    (chat_id,) = chat_ids(services)
    before = rows(services, "messages")
    assert _run(services, _written(file, _grown("more"))) == {"updated": 1}
    assert chat_texts(services, chat_id) == [exports.question(1), exports.answer(1), "more"]
    assert rows(services, "messages") == before + 1
    assert rows(services, "archives") == 0


def test_an_open_chat_that_grew_grows_where_it_is_open(services: Services, file: Path) -> None:
    _run(services, _written(file, _grown()))
    (chat_id,) = chat_ids(services)
    services.chats.load(OWN, chat_id)
    heard = listen(services)
    _run(services, _written(file, _grown("more")))
    assert live_texts(services)[-1] == "more"
    assert "history" in {key for change in heard() for key in change}
    services.conversation.append(OWN, say("Go on"))
    assert chat_ids(services) == [chat_id]


def test_an_older_file_takes_nothing_away(services: Services, file: Path) -> None:
    _run(services, _written(file, _grown("more")))
    state = _state(services)
    assert _run(services, _written(file, _grown())) == {"unchanged": 1}
    assert _state(services) == state


def test_a_message_that_was_edited_there_is_edited_here_and_the_old_one_is_in_the_archive(
    services: Services, file: Path
) -> None:
    edited = _grown()
    edited["messages"][1]["text"] = "Better."
    _run(services, _written(file, _grown()))
    assert _run(services, _written(file, edited)) == {"updated": 1}
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id) == [exports.question(1), "Better."]
    assert rows(services, "archives") == 1


def test_a_chat_that_was_continued_here_is_left_alone_and_the_new_version_stands_beside_it(
    services: Services, file: Path
) -> None:
    _run(services, _written(file, _grown()))
    (chat_id,) = chat_ids(services)
    services.chats.load(OWN, chat_id)
    services.conversation.append(OWN, say("Mine"))
    assert _run(services, _written(file, _grown("more"))) == {"added": 1}
    assert chat_texts(services, chat_id)[-1] == "Mine"
    (other,) = set(chat_ids(services)) - {chat_id}
    assert chat_texts(services, other)[-1] == "more"
    assert _run(services, file) == {"unchanged": 1}


@pytest.mark.parametrize("next_version", [(), ("more",)])
def test_a_chat_that_was_deleted_does_not_come_back(
    services: Services, file: Path, next_version: tuple[str, ...]
) -> None:
    _run(services, _written(file, _grown()))
    services.chats.delete(OWN, chat_ids(services))
    assert _run(services, _written(file, _grown(*next_version))) == {"unchanged": 1}
    assert chat_ids(services) == []


def test_two_conversations_of_one_file_with_one_id_are_two_chats(services: Services, file: Path) -> None:
    other = exports.chatgpt(2) | {"id": "c1"}
    _written(file, exports.chatgpt(1), other, exports.chatgpt(1))
    assert _run(services, file) == {"added": 2, "unchanged": 1}
    assert _run(services, file) == {"unchanged": 3}


def test_a_conversation_that_cannot_be_read_leaves_the_others(services: Services, file: Path) -> None:
    bad = exports.chatgpt(2)
    bad["mapping"]["u"]["parent"] = "a"
    report = services.imports.run(OWN, [_written(file, exports.chatgpt(1), bad, exports.chatgpt(3))])
    assert _counts(report) == {"added": 2}
    assert [(each.where, "cycle" in each.reason) for each in report.failed] == [("export.json: [1]", True)]


UNREADABLE: dict[str, bytes] = {
    "cut short": orjson.dumps([exports.claude(number) for number in range(9)])[:-50],
    "empty": b"",
    "wrong": b'{"some": ["other", {"thing": 1}]}',
    "cyclic": orjson.dumps(
        [
            {
                "title": "c",
                "history": {"currentId": "p", "messages": {"p": {"parentId": "p", "role": "user", "content": "p"}}},
            }
        ]
    ),
    "100 levels": b'[{"uuid":"a","chat_messages":[{"sender":"human","text":"t","files":'
    + b"[" * 100
    + b"]" * 100
    + b"}]}]",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_makes_no_sense_is_told_with_a_reason_and_leaves_the_store_as_it_was(
    services: Services, file: Path, name: str
) -> None:
    state = _state(services)
    file.write_bytes(UNREADABLE[name])
    report = services.imports.run(OWN, [file])
    assert _counts(report) == {}
    assert [(each.where.partition(":")[0], each.reason != "") for each in report.failed] == [("export.json", True)]
    assert _state(services) == state


def test_of_a_zip_the_files_that_are_no_exports_are_passed_over(services: Services, tmp_path: Path) -> None:
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as out:
        out.write(exports.SHARED_SAMPLES / "chatgpt-conversations.json", "conversations.json")
        out.writestr("user.json", b'{"id":"u"}')
        out.writestr("message_feedback.json", b"[]")
        out.writestr("file_00000000aaaa1111bbbb2222cccc3333-knot.png", picture(3, 3))
    assert _run(services, packed) == {"added": 3}
    assert rows(services, "blobs") == 1


def test_a_folder_without_any_export_says_so(services: Services, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.json").write_bytes(b"{}")
    report = services.imports.run(OWN, [tmp_path / "notes", tmp_path / "gone.json"])
    assert [(each.where, each.reason.partition(" ")[0]) for each in report.failed] == [
        ("a.json", "It"),
        ("gone.json", "There"),
    ]


@pytest.mark.parametrize("order", [list(range(12)), list(reversed(range(12)))], ids=["oldest first", "newest first"])
def test_past_the_limit_the_oldest_imported_chats_are_in_the_archive_and_own_ones_stay(
    services: Services, file: Path, order: list[int]
) -> None:
    services.conversation.append(OWN, say("My own, older than none"))
    services.conversation.clear(OWN)
    (own,) = chat_ids(services)
    _limits(services, chats=4)
    _written(file, *(exports.claude(number) for number in order))
    report = services.imports.run(OWN, [file])
    assert _counts(report) == {"added": 3, "archived": 9}
    listed = [chat.name for chat, _ in services.chats.page(OWN, limit=50, offset=0).chats]
    assert set(listed) == {"Chat 11", "Chat 10", "Chat 9", services.chats.get(OWN, own, "none")[0].name}
    assert _run(services, file) == {"unchanged": 12}
    assert services.chats.page(OWN, limit=1, offset=0).evicted.chats == 9


def test_an_imported_chat_that_is_open_stays_when_newer_ones_come(services: Services, file: Path) -> None:
    _limits(services, chats=2)
    _run(services, _written(file, exports.claude(0)))
    (oldest,) = chat_ids(services)
    services.chats.load(OWN, oldest)
    assert _run(services, _written(file, *(exports.claude(number) for number in range(1, 5)))) == {
        "added": 1,
        "archived": 3,
    }
    assert oldest in chat_ids(services)


def test_a_dry_run_tells_what_limits_would_archive(services: Services, file: Path) -> None:
    _limits(services, chats=4)
    _written(file, *(exports.claude(number) for number in range(12)))
    assert _run(services, file, dry_run=True) == {"added": 4, "archived": 8}
    assert rows(services, "archives") == 0


def test_a_pinned_conversation_stays_when_others_leave(services: Services, file: Path) -> None:
    _limits(services, chats=2)
    made = [exports.chatgpt(number) | {"is_starred": number == 0} for number in range(5)]
    _run(services, _written(file, *made))
    assert [chat.name for chat, _ in services.chats.page(OWN, limit=9, offset=0).chats] == ["Chat 4", "Chat 0"]


def test_messages_past_the_limit_are_in_the_archive_and_growth_still_arrives(services: Services, file: Path) -> None:
    _limits(services, messages=2)
    _run(services, _written(file, _grown("a", "b")))
    (chat_id,) = chat_ids(services)
    archived = rows(services, "archives")
    assert archived == 1
    kept = chat_texts(services, chat_id)
    assert _run(services, file) == {"unchanged": 1}
    assert _run(services, _written(file, _grown("a", "b", "c"))) == {"updated": 1}
    assert chat_texts(services, chat_id)[-1] == "c"
    assert kept[-1] == "b"


def test_an_archived_conversation_that_grew_comes_back_and_is_judged_anew(services: Services, file: Path) -> None:
    _limits(services, chats=1)
    newer = exports.librechat(2) | {"conversationId": "newer"}
    _run(services, _written(file, _grown(), newer))
    assert _run(services, _written(file, _grown("more"), newer)) == {"updated": 1, "archived": 1, "unchanged": 1}
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id)[-1] == "more"
    assert services.chats.page(OWN, limit=1, offset=0).evicted.chats == 1


class _Stop(Exception):
    """An import is stopped from outside."""


def _stopped_after(services: Services, files: list[Path], count: int) -> bool:
    """Run an import that is stopped after so many conversations. Whether it was."""
    seen = itertools.count(1)

    def progress(_done: int, _total: int, _conversations: int) -> None:
        if next(seen) > count:
            raise _Stop

    try:
        services.imports.run(OWN, files, progress=progress)
    except _Stop:
        return True
    return False


@pytest.mark.parametrize("together", [1, 4])
def test_an_import_stopped_at_any_point_and_run_again_ends_like_one_run_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    monkeypatch.setattr("sidekeep.service.import_run.TOGETHER", together)
    made = [exports.librechat(number) | {"conversationId": f"c{number % 8}"} for number in range(10)]
    made[3] = _grown("a", "b") | {"conversationId": "c3"}
    file = _written(tmp_path / "export.json", *made)
    with open_services(tmp_path / "through") as through:
        _limits(through, chats=5, messages=3)
        through.imports.run(OWN, [file])
        expected = _stored(through)
    for count in range(12):
        with open_services(tmp_path / f"stopped {count}") as stopped:
            _limits(stopped, chats=5, messages=3)
            was_stopped = _stopped_after(stopped, [file], count)
            stopped.imports.run(OWN, [file])
            assert _stored(stopped) == expected, f"stopped after {count}"
        assert was_stopped == (count < 11)


def test_a_store_that_is_held_ends_the_import_and_leaves_what_was_imported(
    services: Services, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidekeep.store.database.BUSY_TIMEOUT_MS", 1)
    monkeypatch.setattr("sidekeep.service.import_run.TOGETHER", 1)
    _written(file, *(exports.claude(number) for number in range(3)))
    holder = services.database.path
    assert holder is not None
    import apsw

    other = apsw.Connection(str(holder))

    def progress(_done: int, _total: int, conversations: int) -> None:
        if conversations == 2:
            other.execute("BEGIN IMMEDIATE")

    services.database.never_wait()
    with pytest.raises(StoreBusy):
        services.imports.run(OWN, [file], progress=progress)
    other.execute("ROLLBACK")
    other.close()
    assert len(chat_ids(services)) == 2
    assert _run(services, file) == {"added": 1, "unchanged": 2}


def test_progress_goes_from_nothing_to_all_bytes(services: Services, file: Path) -> None:
    told: list[tuple[int, int, int]] = []
    _written(file, *(exports.claude(number) for number in range(300)))
    services.imports.run(OWN, [file], progress=lambda *each: told.append(each))
    size = file.stat().st_size
    assert told[-1] == (size, size, 300)
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert {total for _, total, _ in told} == {size}


def test_hundreds_of_conversations_arrive_those_past_the_limit_in_the_archive(services: Services, file: Path) -> None:
    exports.write(file, "chatgptbox", 450)
    assert _run(services, file) == {"added": 200, "archived": 250}
    assert rows(services, "archives") == 250
    newest = services.chats.page(OWN, limit=1, offset=0).chats[0][0]
    assert newest.name == exports.question(449)
