"""Compactions in transcripts of the file era: the chat that comes of one is as if Sidekeep had compacted it itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.support.stores import OTHER_PROFILE, OWN, chat_ids, chat_texts, live_texts, open_services, plain, rows

from sidekeep.domain.checkpoint import MAX_CHECKPOINTS
from sidekeep.domain.compaction import SUMMARY_HEADER
from sidekeep.domain.message import MessageId
from sidekeep.service.services import Services
from sidekeep.store.archived import Wanted

Entry = dict[str, Any]
HEADER = {"type": "session", "id": "s1", "timestamp": "2026-01-01T00:00:00Z", "version": 3}
COUNTED = ("archives", "imports", "messages", "session_entries", "sessions", "transcript_events")
AT_MS = 1_767_225_600_000


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(tmp_path / "home") as opened:
        yield opened


def _said(name: str, text: str, *, parent: str | None = None) -> Entry:
    role = "user" if text.endswith("?") else "assistant"
    return {"type": "message", "id": name, "parentId": parent, "message": {"role": role, "content": text}}


def _talk(*numbers: int) -> list[Entry]:
    """Questions with their answers."""
    return [
        _said(f"{kind}{number}", f"{kind}{number}{'?' if kind == 'q' else '.'}") for number in numbers for kind in "qa"
    ]


def _compaction(name: str, **members: Any) -> Entry:
    return {"type": "compaction", "id": name, "summary": f"Summary {name}.", "tokensBefore": 9, **members}


def _chained(*entries: Entry) -> list[Entry]:
    """The entries, each the child of the one before, a second apart."""
    parents = [None, *(entry["id"] for entry in entries)]
    return [
        {**entry, "parentId": parent, "timestamp": f"2026-01-01T00:{number // 60:02}:{number % 60:02}Z"}
        for number, (entry, parent) in enumerate(zip(entries, parents, strict=False), start=1)
    ]


def _home(services: Services) -> Path:
    assert services.database.path is not None, "it is no store in memory"
    return services.database.path.parent


def _import(services: Services, *entries: Entry, dry_run: bool = False) -> dict[str, int]:
    file = _home(services) / "s1.jsonl"
    file.write_bytes(b"".join(orjson.dumps(entry) + b"\n" for entry in (HEADER, *entries)))
    report = services.imports.run(OWN, [file], dry_run=dry_run)
    assert report.failed == []
    return {outcome: count for outcome, count in report.counts.items() if count}


def _marked(name: str) -> str:
    return f"{SUMMARY_HEADER}\n\nSummary {name}."


def _state(services: Services) -> dict[str, int]:
    return {table: rows(services, table) for table in COUNTED}


def _earlier(services: Services, chat_id: str) -> list[list[Any]]:
    """What each checkpoint of a chat leads back to, oldest first."""
    found = services.checkpoints.all(OWN, chat_id)
    return [
        [message["content"] for message in plain(services.checkpoints.transcript(OWN, chat_id, item.id, "none"))]
        for item, _ in found
    ]


def _shown(services: Services) -> list[Any]:
    """Everything that a person sees of the chats, with what their checkpoints lead back to."""
    return [
        [plain(services.chats.get(OWN, chat_id, "none")[2]), _earlier(services, chat_id)]
        for chat_id in chat_ids(services)
    ]


ONCE = _chained(*_talk(1, 2), _compaction("c1", firstKeptEntryId="q2"), *_talk(3))


def test_the_summary_stands_for_what_came_before_and_a_checkpoint_leads_back_to_it(services: Services) -> None:
    assert _import(services, *ONCE) == {"added": 1, "compacted": 1}
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id) == [_marked("c1"), "q2?", "a2.", "q3?", "a3."]
    assert _earlier(services, chat_id) == [["q1?", "a1.", "q2?", "a2."]]
    ((made, _),) = services.checkpoints.all(OWN, chat_id)
    assert (made.reason, made.created_at_ms) == ("compact", AT_MS + 5_000)
    chat, _, messages = services.chats.get(OWN, chat_id, "none")
    assert plain(messages)[0] == {
        "id": "c1",
        "role": "user",
        "content": _marked("c1"),
        "summaryOf": made.id,
        "createdAt": AT_MS + 5_000,
    }
    assert (chat.name, chat.updated_at_ms) == ("q1?", AT_MS + 7_000)


def test_it_is_what_sidekeep_makes_of_the_same_conversation_itself(services: Services) -> None:
    _import(services, *ONCE[:4])
    (chat_id,) = chat_ids(services)
    services.checkpoints.compact(OWN, chat_id, "Ah.", first_kept=MessageId("q2"))
    with open_services(_home(services) / "other") as other:
        _import(other, *ONCE[:4], {**ONCE[4], "summary": " Ah.\n"})
        assert _unnamed(other, chat_id) == _unnamed(services, chat_id)
        assert _earlier(other, chat_id) == _earlier(services, chat_id)
        chat, *_ = other.chats.get(OWN, chat_id, "none")
        assert chat.usage_family == (chat.checkpoints[0].before,)
        assert chat.checkpoints[0].after == chat.session_id


def _unnamed(services: Services, chat_id: str) -> list[Entry]:
    """A chat's messages, without the ids and times of what was made here."""
    given = ("id", "createdAt", "summaryOf")
    found = plain(services.chats.get(OWN, chat_id, "none")[2])
    return [
        {name: value if "summaryOf" not in each or name not in given else "" for name, value in each.items()}
        for each in found
    ]


def test_returning_to_the_checkpoint_brings_the_whole_back(services: Services) -> None:
    _import(services, *ONCE)
    (chat_id,) = chat_ids(services)
    ((made, _),) = services.checkpoints.all(OWN, chat_id)
    services.checkpoints.restore(OWN, chat_id, made.id)
    assert chat_texts(services, chat_id) == ["q1?", "a1.", "q2?", "a2."]


CASES: dict[str, tuple[list[Entry], list[str], list[list[str]]]] = {
    "several, each with the last one's summary among what it replaces": (
        [
            *_talk(1, 2),
            _compaction("c1", firstKeptEntryId="q2"),
            *_talk(3),
            _compaction("c2", firstKeptEntryId="q3"),
            *_talk(4),
        ],
        [_marked("c2"), "q3?", "a3.", "q4?", "a4."],
        [["q1?", "a1.", "q2?", "a2."], [_marked("c1"), "q2?", "a2.", "q3?", "a3."]],
    ),
    "what is kept begins before an earlier one": (
        [*_talk(1), _compaction("c1", firstKeptEntryId="a1"), *_talk(2), _compaction("c2", firstKeptEntryId="q1")],
        [_marked("c2"), "q1?", "a1.", "q2?", "a2."],
        [["q1?", "a1."], [_marked("c1"), "a1.", "q2?", "a2."]],
    ),
    "what is kept begins with an earlier one": (
        [*_talk(1), _compaction("c1", firstKeptEntryId="a1"), *_talk(2), _compaction("c2", firstKeptEntryId="c1")],
        [_marked("c2"), "q2?", "a2."],
        [["q1?", "a1."], [_marked("c1"), "a1.", "q2?", "a2."]],
    ),
    "what is kept is not in the file": (
        [*_talk(1, 2), _compaction("c1", firstKeptEntryId="nobody"), *_talk(3)],
        [_marked("c1"), "q3?", "a3."],
        [["q1?", "a1.", "q2?", "a2."]],
    ),
    "what is kept comes later in the file": (
        [*_talk(1), _compaction("c1", firstKeptEntryId="q2"), *_talk(2)],
        [_marked("c1"), "q2?", "a2."],
        [["q1?", "a1."]],
    ),
    "nothing says what is kept": (
        [*_talk(1), _compaction("c1", firstKeptEntryId=7), *_talk(2)],
        [_marked("c1"), "q2?", "a2."],
        [["q1?", "a1."]],
    ),
    "as the last entry": (
        [*_talk(1, 2), _compaction("c1", firstKeptEntryId="a2")],
        [_marked("c1"), "a2."],
        [["q1?", "a1.", "q2?", "a2."]],
    ),
    "as the last entry, and nothing is kept": (
        [*_talk(1), _compaction("c1", firstKeptEntryId="")],
        [_marked("c1")],
        [["q1?", "a1."]],
    ),
    "two after each other": (
        [*_talk(1), _compaction("c1", firstKeptEntryId="a1"), _compaction("c2", firstKeptEntryId="a1"), *_talk(2)],
        [_marked("c2"), "a1.", "q2?", "a2."],
        [["q1?", "a1."], [_marked("c1"), "a1."]],
    ),
    "everything is kept": (
        [*_talk(1), _compaction("c1", firstKeptEntryId="q1")],
        [_marked("c1"), "q1?", "a1."],
        [["q1?", "a1."]],
    ),
    "what is kept begins with an entry that is no message of the chat": (
        [*_talk(1), {"type": "model_change", "id": "m"}, *_talk(2), _compaction("c1", firstKeptEntryId="m")],
        [_marked("c1"), "q2?", "a2."],
        [["q1?", "a1.", "q2?", "a2."]],
    ),
    "before anything is said: what it stands for is not in the file": (
        [_compaction("c1", firstKeptEntryId="q0"), *_talk(1), _compaction("c2", firstKeptEntryId="a1")],
        [_marked("c2"), "a1."],
        [[_marked("c1"), "q1?", "a1."]],
    ),
    "without a summary there is none": (
        [*_talk(1), _compaction("c1", firstKeptEntryId="a1", summary=" "), *_talk(2)],
        ["q1?", "a1.", "q2?", "a2."],
        [],
    ),
}


@pytest.mark.parametrize(("entries", "texts", "earlier"), CASES.values(), ids=CASES)
def test_a_compaction_leaves_what_the_case_says(
    services: Services, entries: list[Entry], texts: list[str], earlier: list[list[str]]
) -> None:
    outcome = _import(services, *_chained(*entries))
    (chat_id,) = chat_ids(services)
    assert (chat_texts(services, chat_id), _earlier(services, chat_id)) == (texts, earlier)
    assert outcome.get("compacted", 0) == len(earlier)
    state = _state(services)
    assert _import(services, *_chained(*entries)) == {"unchanged": 1}
    assert _state(services) == state


def test_a_summary_that_stands_for_nothing_in_the_file_leads_nowhere(services: Services) -> None:
    _import(services, *_chained(_compaction("c1", firstKeptEntryId="q0"), *_talk(1)))
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id) == [_marked("c1"), "q1?", "a1."]
    assert services.checkpoints.all(OWN, chat_id) == []
    assert "summaryOf" not in plain(services.chats.get(OWN, chat_id, "none")[2])[0]


def test_lines_without_ids_name_the_kept_part_by_its_line(services: Services) -> None:
    entries = [{name: value for name, value in each.items() if name not in ("id", "parentId")} for each in _talk(1, 2)]
    made = {"type": "compaction", "summary": "Summary c1.", "firstKeptEntryIndex": 3}
    _import(services, *entries, made)
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id) == [_marked("c1"), "q2?", "a2."]


LONG = _chained(
    *_talk(1, 2),
    _compaction("c1", firstKeptEntryId="a2"),
    *_talk(3),
    _compaction("c2", firstKeptEntryId="q3"),
    _compaction("c3", firstKeptEntryId="q1"),
    *_talk(4),
)


@pytest.mark.parametrize("lines", range(1, len(LONG)))
def test_a_file_that_grew_ends_like_one_that_came_whole(services: Services, lines: int) -> None:
    _import(services, *LONG[:lines])
    assert _import(services, *LONG)["updated"] == 1
    grown, state = _shown(services), _state(services)
    with open_services(_home(services) / "other") as other:
        _import(other, *LONG)
        assert grown == _shown(other)
    assert _import(services, *LONG) == {"unchanged": 1}
    assert _import(services, *LONG[:lines]) == {"unchanged": 1}, "an older file takes nothing away"
    assert (_shown(services), _state(services)) == (grown, state)


def test_rows_are_there_once_whatever_is_compacted(services: Services) -> None:
    _import(services, *LONG)
    assert rows(services, "messages") == len(LONG)


def test_what_an_open_chat_shows_goes_along(services: Services) -> None:
    _import(services, *LONG[:4])
    (chat_id,) = chat_ids(services)
    services.chats.load(OTHER_PROFILE, chat_id)
    _import(services, *LONG)
    assert live_texts(services, OTHER_PROFILE) == chat_texts(services, chat_id)
    assert chat_texts(services, chat_id)[0] == _marked("c3")


def test_a_chat_that_was_continued_here_is_left_alone(services: Services) -> None:
    _import(services, *ONCE[:4])
    (chat_id,) = chat_ids(services)
    services.checkpoints.compact(OWN, chat_id, "Mine.", first_kept=MessageId("q2"))
    assert _import(services, *ONCE) == {"added": 1, "compacted": 1}
    assert chat_texts(services, chat_id)[0] == f"{SUMMARY_HEADER}\n\nMine."
    (other,) = set(chat_ids(services)) - {chat_id}
    assert chat_texts(services, other)[0] == _marked("c1")


def test_an_edited_file_takes_the_place_of_the_chat_and_its_checkpoints(services: Services) -> None:
    _import(services, *LONG)
    edited = [{**LONG[0], "message": {"role": "user", "content": "Other?"}}, *LONG[1:]]
    assert _import(services, *edited) == {"updated": 1, "compacted": 3}
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id)[:2] == [_marked("c3"), "Other?"]
    assert len(_earlier(services, chat_id)) == 3
    archives, _ = services.archives.page(OWN, Wanted(), limit=50, offset=0)
    assert {archive.part for archive in archives} == {"earlier"}
    assert _import(services, *edited) == {"unchanged": 1}


def test_a_file_that_keeps_another_part_is_another_version(services: Services) -> None:
    _import(services, *ONCE)
    other = [{**entry, "firstKeptEntryId": "a2"} if entry["id"] == "c1" else entry for entry in ONCE]
    assert _import(services, *other) == {"updated": 1, "compacted": 1}
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id) == [_marked("c1"), "a2.", "q3?", "a3."]


def test_a_branch_shares_the_rows_and_the_compactions_of_what_it_has_in_common(services: Services) -> None:
    left = _said("b1", "Another.", parent="q4")
    assert _import(services, *LONG, left) == {"added": 2, "compacted": 6}
    assert rows(services, "messages") == len(LONG) + 1
    assert sorted(text for chat_id in chat_ids(services) for text in chat_texts(services, chat_id)[-1:]) == [
        "Another.",
        "a4.",
    ]
    assert [len(_earlier(services, chat_id)) for chat_id in chat_ids(services)] == [3, 3]


def test_of_more_compactions_than_a_chat_keeps_the_oldest_states_are_in_the_archive(services: Services) -> None:
    many = range(1, MAX_CHECKPOINTS + 3)
    entries = [
        each for number in many for each in (*_talk(number), _compaction(f"c{number}", firstKeptEntryId=f"q{number}"))
    ]
    _import(services, *_chained(*entries))
    (chat_id,) = chat_ids(services)
    assert len(services.checkpoints.all(OWN, chat_id)) == MAX_CHECKPOINTS
    archives, _ = services.archives.page(OWN, Wanted(), limit=50, offset=0)
    assert [archive.part for archive in archives] == ["earlier", "earlier"]
    assert _import(services, *_chained(*entries)) == {"unchanged": 1}


def test_a_dry_run_counts_the_same_and_writes_nothing(services: Services) -> None:
    state = _state(services)
    assert _import(services, *LONG, dry_run=True) == {"added": 1, "compacted": 3}
    assert _state(services) == state


def test_past_the_limit_of_chats_its_states_are_in_the_archive_and_it_still_grows(services: Services) -> None:
    services.settings.attach(services.database)
    services.settings.set({"limits.chats": 1})
    younger = _home(services) / "younger.json"
    record = {"uuid": "x", "created_at": "2030-01-01T00:00:00Z", "chat_messages": [{"sender": "human", "text": "Hi"}]}
    younger.write_bytes(orjson.dumps([record]))
    services.imports.run(OWN, [younger])

    def parts() -> list[str]:
        archives, _ = services.archives.page(OWN, Wanted(), limit=50, offset=0)
        return sorted(f"{archive.part} {archive.messages}" for archive in archives)

    assert _import(services, *LONG[:6]) == {"archived": 1, "compacted": 1}
    assert parts() == ["chat 3", "earlier 4"]
    assert _import(services, *LONG) == {"updated": 1, "archived": 1, "compacted": 3}
    assert parts() == ["chat 9", "earlier 3", "earlier 4", "earlier 4"]
    services.settings.set({"limits.chats": 0})
    assert _import(services, *LONG) == {"unchanged": 1}


def test_past_the_limit_of_messages_a_compacted_chat_still_grows(services: Services) -> None:
    services.settings.attach(services.database)
    services.settings.set({"limits.messages": 4})
    _import(services, *_chained(*_talk(1, 2, 3, 4)))
    more = _chained(*_talk(1, 2, 3, 4), _compaction("c1", firstKeptEntryId="q1"), *_talk(5))
    assert _import(services, *more) == {"updated": 1, "compacted": 1}
    (chat_id,) = chat_ids(services)
    assert chat_texts(services, chat_id)[-2:] == ["q5?", "a5."]
    assert _earlier(services, chat_id) == [["q3?", "a3.", "q4?", "a4."]]
