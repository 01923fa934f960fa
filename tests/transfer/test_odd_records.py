"""Whatever stands where a record's values should be: it is read, or refused in words. Nothing else may come out of a reader."""

import contextlib
import copy
import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import exports
from tests.support.exports import SHARED_SAMPLES
from tests.transfer.conftest import Read

from sidekeep.errors import InvalidParams, Unreadable
from sidekeep.service.incoming import incoming

ODD: list[Any] = [
    None,
    True,
    0,
    -1.5,
    2**80,
    10**400,
    1e300,
    "",
    "x",
    "data:image/png;base64,AAAA",
    "9999-99-99",
    [],
    [None],
    [[]],
    [{}],
    {},
    {"": None},
    {"type": "text", "text": 3},
]
SAMPLES = {path.name: json.loads(path.read_bytes()) for path in sorted(SHARED_SAMPLES.glob("*.json"))}
MADE: dict[str, Any] = {
    "page assist, one chat": [
        {"isBot": False, "message": "q", "images": ["x"]},
        {"isBot": True, "message": "a", "sources": []},
    ],
    "librechat, tree": {
        "conversationId": "c",
        "messagesTree": [{"messageId": "a", "text": "t", "children": [{"text": "u"}]}],
    },
    "browsa": {
        "savedSessions": [exports.browsa_entry(1), {**exports.browsa_entry(2), "history": exports.browsa_body(2)}],
        "session_c1": exports.browsa_body(1),
        "history": exports.browsa_body(3),
    },
}
EVERY = {**SAMPLES, **MADE}


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key below a value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    found: list[tuple[Any, Any]] = []
    for key in keys:
        found += [(value, key), *_places(value[key])]
    return found


@pytest.mark.parametrize("name", EVERY)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(data=st.data())
def test_an_odd_value_anywhere_is_read_or_refused(tmp_path: Path, name: str, data: st.DataObject) -> None:
    document = copy.deepcopy(EVERY[name])
    for _ in range(data.draw(st.integers(1, 3))):
        places = _places(document)
        if places:
            container, key = places[data.draw(st.integers(0, len(places) - 1))]
            container[key] = copy.deepcopy(ODD[data.draw(st.integers(0, len(ODD) - 1))])
    file = tmp_path / "odd.json"
    file.write_bytes(_json(document))
    try:
        read = Read(file)
    except Unreadable:
        return
    for conversation in read.conversations:
        with contextlib.suppress(InvalidParams):
            incoming(conversation, 1)


def test_an_odd_line_of_a_transcript_is_read_or_refused(tmp_path: Path) -> None:
    lines = [orjson.loads(line) for line in exports.transcript(1).splitlines()]
    for number, line in enumerate(lines):
        for key in _places(line):
            for odd in ODD:
                changed = copy.deepcopy(lines)
                places = [place for place in _places(changed[number]) if place[1] == key[1]]
                for container, name in places:
                    container[name] = copy.deepcopy(odd)
                file = tmp_path / "odd.jsonl"
                file.write_bytes(b"".join(_json(each) + b"\n" for each in changed))
                try:
                    Read(file)
                except Unreadable:
                    continue


def _json(value: Any) -> bytes:
    """orjson writes no integers beyond 64 bits, and other programs do."""

    return json.dumps(value).encode()
