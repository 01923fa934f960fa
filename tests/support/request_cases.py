"""The shared cases of the request side (../shared/cases/request.json), a group at a time, their macros expanded."""

import json
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "request.json"
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def cases(group: str) -> list[Any]:
    """The cases of `group` as parameters with their ids; one skipped case where they are not beside this checkout."""
    if not CASES.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason="the cases are not beside this checkout"), id=group)]
    found = [case for case in json.loads(CASES.read_text()) if case["group"] == group]
    assert found, f"no case in group {group}"
    return [pytest.param(expand(case), id=case["id"]) for case in found]


def expand(value: Any) -> Any:
    """Plain data for a value with macros: $rep, $cat, $lone, $b64 (../shared/cases/README.md)."""
    if isinstance(value, list):
        return [expand(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$rep": [text, times], **rest} if not rest:
            return text * times
        case {"$cat": pieces, **rest} if not rest:
            return "".join(expand(pieces))
        case {"$lone": code, **rest} if not rest:
            return chr(int(code, 16))
        case {"$b64": length, **rest} if not rest:
            return _base64(length)
    return {key: expand(inner) for key, inner in value.items()}


def _base64(length: int) -> str:
    """A fixed run that looks like data, so that estimates meet what pictures are made of."""
    characters, state = [], 12345
    for _ in range(min(length, 4096)):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        characters.append(_ALPHABET[(state >> 16) & 63])
    run = "".join(characters)
    return (run * (length // len(run) + 1))[:length] if run else ""
