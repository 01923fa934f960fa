"""A dump of browsa's storage area, light and legacy."""

from pathlib import Path
from typing import Any

import orjson
from tests.support.pictures import picture, url_of
from tests.transfer.conftest import Read, told

PAGE = "[Page context attached by browsa]\nURL: https://example.org/\nTitle: Tides\nMode: article\n---\n\nHigh water."
HISTORY: list[dict[str, Any]] = [
    {"role": "user", "content": PAGE},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "When?"},
            {"type": "image_url", "image_url": {"url": url_of(picture(2, 2))}},
        ],
    },
    {"role": "assistant", "content": "At noon."},
]
SHOWN = [("user", PAGE), ("user", "When? [data:image/png;base64]"), ("assistant", "At noon.")]
ENTRY = {"id": "a", "name": "Tides", "createdAt": 1_767_258_000_000, "pinned": True, "textDigest": "When?"}
PROVIDERS = {"openai": {"apiKey": "EXAMPLE-NOT-A-KEY", "baseUrl": "https://api.example/v1"}, "ollama": {"apiKey": ""}}


def _read(file: Path, dump: dict[str, Any]) -> Read:
    file.write_bytes(orjson.dumps(dump))
    return Read(file)


def test_bodies_are_read_by_their_index_and_the_live_conversation_too(file: Path) -> None:
    live = [{"role": "user", "content": "Live"}]
    dump = {"session_a": HISTORY, "history": live, "savedSessions": [ENTRY], "activeSessionId": "a"}
    read = _read(file, dump)
    assert read.sources == ["browsa"]
    saved, current = read.conversations
    assert [told(message) for message in saved.messages] == SHOWN
    assert (saved.title, saved.pinned, saved.created_at_ms) == ("Tides", True, 1_767_258_000_000)
    assert saved.fingerprint == "browsa:a"
    assert saved.messages[0].extra["attachId"]
    assert [told(message) for message in current.messages] == [("user", "Live")]


def test_legacy_entries_carry_their_messages_themselves(file: Path) -> None:
    light = _read(file, {"savedSessions": [ENTRY], "session_a": HISTORY}).only
    assert _read(file, {"savedSessions": [{**ENTRY, "history": HISTORY}]}).only == light


def test_a_body_without_an_entry_arrives_too(file: Path) -> None:
    assert _read(file, {"savedSessions": [], "session_b": HISTORY}).only.fingerprint == "browsa:b"


def test_keys_of_providers_are_named_and_not_taken(file: Path) -> None:
    read = _read(file, {"providers": PROVIDERS, "savedSessions": [ENTRY], "session_a": HISTORY})
    assert [(key.where, key.provider) for key in read.keys] == [("x.json: providers.openai.apiKey", "openai")]
    assert "EXAMPLE" not in repr(read.conversations)


def test_a_body_that_is_no_conversation_is_named_and_the_others_arrive(file: Path) -> None:
    read = _read(file, {"savedSessions": [ENTRY], "session_bad": {"no": "array"}, "session_a": HISTORY})
    assert [each.where for each in read.failures] == ["x.json: session_bad"]
    assert read.only.fingerprint == "browsa:a"
