"""Transcripts of the file era, plain or compressed, with what lies beside them."""

from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from tests.support import exports
from tests.transfer.conftest import Read, told

from sidekeep.transfer.conversation import Conversation

HEADER = {"type": "session", "id": "s1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/home/demo", "version": 3}


def _entry(entry_id: str, parent: str | None, **fields: Any) -> dict[str, Any]:
    return {"id": entry_id, "parentId": parent, "timestamp": "2026-01-01T00:00:01Z", **fields}


def _said(entry_id: str, parent: str | None, role: str, content: Any) -> dict[str, Any]:
    return _entry(entry_id, parent, type="message", message={"role": role, "content": content})


ENTRIES = [
    _said("1", None, "user", "Look"),
    _entry("2", "1", type="model_change", provider="p", modelId="m"),
    _said("3", "2", "assistant", [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I look."}]),
    _said("4", "3", "toolResult", [{"type": "text", "text": "a secret file"}]),
    _entry("5", "4", type="compaction", summary="They looked.", firstKeptEntryId="3", tokensBefore=9),
    _entry("6", "5", type="something_new", payload={"x": [1, 2.5]}),
    _said(
        "7",
        "6",
        "user",
        [{"type": "image", "data": "AAAA", "mimeType": "image/png"}, {"type": "text", "text": "This?"}],
    ),
]


def _lines(*records: Any) -> bytes:
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def _read(file: Path, data: bytes) -> Conversation:
    file.write_bytes(data)
    return Read(file).only


def test_messages_are_the_chat_and_everything_else_is_kept_verbatim(file: Path) -> None:
    found = _read(file, _lines(HEADER, *ENTRIES))
    assert found.fingerprint == "transcript:s1"
    assert [told(message) for message in found.messages] == [
        ("user", "Look"),
        ("assistant", "I look."),
        ("user", "[Summary of the earlier conversation]\n\nThey looked."),
        ("user", "[data:image/png;base64] This?"),
    ]
    assert found.messages[1].extra == {"reasoning": "Hm."}
    assert [message.stays for message in found.messages] == [None, None, 1, None]
    assert [record for record in found.kept if record != HEADER] == [ENTRIES[place] for place in (1, 2, 3, 4, 5)]
    assert HEADER in found.kept


def test_a_compressed_transcript_is_the_same(file: Path) -> None:
    data = _lines(HEADER, *ENTRIES)
    assert _read(file, zstandard.compress(data)) == _read(file, data)


def test_branches_are_ways_of_their_own(file: Path) -> None:
    found = _read(file, _lines(HEADER, *ENTRIES[:3], _said("8", "1", "assistant", "Another.")))
    assert [message.id for message in found.messages] == ["1", "8"]
    assert [[message.id for message in branch.messages] for branch in found.branches] == [["1", "3"]]


def test_entries_without_links_follow_each_other(file: Path) -> None:
    lines = [{"type": "message", "message": {"role": role, "content": role}} for role in ("user", "assistant")]
    assert [message.text for message in _read(file, _lines(HEADER, *lines)).messages] == ["user", "assistant"]


def test_companions_are_kept_as_they_are(tmp_path: Path) -> None:
    trajectory = '{"step":1}\nno json at all \n'
    (tmp_path / "s1.jsonl").write_bytes(_lines(HEADER, *ENTRIES))
    (tmp_path / "s1.trajectory.jsonl").write_text(trajectory)
    (tmp_path / "s1.trajectory-path.json").write_text('{"path":"/elsewhere/s1.trajectory.jsonl"}')
    for path in (tmp_path, tmp_path / "s1.jsonl"):
        kept = Read(path).only.kept
        assert {"companion": "trajectory", "text": trajectory} in kept
        assert {"companion": "trajectory-path", "text": '{"path":"/elsewhere/s1.trajectory.jsonl"}'} in kept


def test_a_topic_in_a_file_name_means_nothing(tmp_path: Path) -> None:
    (tmp_path / "s1-topic-42.jsonl").write_bytes(_lines(HEADER, *ENTRIES))
    (tmp_path / "s1.trajectory.jsonl").write_text("{}")
    found = Read(tmp_path).only
    assert found.fingerprint == "transcript:s1"
    assert not any("companion" in record for record in found.kept)


def test_keys_in_lines_and_companions_are_named_and_left_out(tmp_path: Path) -> None:
    leaky = _entry("9", "7", type="custom", config={"name": "gateway", "apiKey": "EXAMPLE-NOT-A-KEY"})
    (tmp_path / "s1.jsonl").write_bytes(_lines(HEADER, *ENTRIES, leaky))
    (tmp_path / "s1.trajectory.jsonl").write_bytes(_lines({"step": 1}, {"apiKey": "EXAMPLE-NOT-A-KEY", "step": 2}))
    read = Read(tmp_path)
    assert [(key.where, key.provider) for key in read.keys] == [("s1.jsonl: line 9 config.apiKey", "gateway")]
    assert "EXAMPLE" not in repr(read.conversations)
    assert {"companion": "trajectory", "text": '{"step":1}\n{"step":2}\n'} in read.only.kept


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type":"mess', "Line 3 is no valid JSON"),
        (b"7\n", "Line 3 is no JSON object"),
    ],
)
def test_a_line_that_is_damaged_is_named(file: Path, line: bytes, reason: str) -> None:
    file.write_bytes(_lines(HEADER, ENTRIES[0]) + line)
    read = Read(file)
    assert read.conversations == []
    assert [(each.where, reason in each.reason) for each in read.failures] == [("x.json", True)]


def test_a_transcript_of_ten_thousand_entries_is_read(file: Path) -> None:
    entries = [_said(str(number), str(number - 1) if number else None, "user", f"{number}") for number in range(10_000)]
    found = _read(file, _lines(HEADER, *entries))
    assert [message.text for message in found.messages] == [str(number) for number in range(10_000)]


def test_every_transcript_of_a_folder_is_a_conversation(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.jsonl").write_bytes(exports.transcript(number))
    assert len({each.fingerprint for each in Read(tmp_path).conversations}) == 20
