"""The shared cases of group `cut`."""

import re
from typing import Any

import pytest
from tests.support.request_cases import cases
from tests.support.request_runs import received

from sidekeep.request.cut import Kept, Unit, cut, cut_with_marker

UNITS: dict[str, Unit] = {"max_chars": "characters", "max_bytes": "bytes", "max_utf16": "utf16"}


def _cut(params: dict[str, Any]) -> tuple[str, Kept, str]:
    """The text as it came, what is kept of it, and the unit that the case counts in."""
    text = received(params["text"])
    name = next(name for name in UNITS if name in params)
    if params.get("marker_counts"):
        return text, cut_with_marker(text, params[name], params["side"]), name
    return text, cut(text, params[name], params["side"], UNITS[name]), name


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize("case", cases("cut"))
def test_a_text_is_cut_as_the_case_says(case: dict[str, Any]) -> None:
    text, kept, unit = _cut(case["params"])
    dropped = _utf16(text) - _utf16(kept.text) if unit == "max_utf16" else kept.dropped
    number = re.search(r"\[(\d+) characters left out\]", kept.text)
    checks: dict[str, Any] = {
        "text": lambda wanted: kept.text == wanted,
        "kept_chars": lambda wanted: len(kept.text) == wanted,
        "dropped": lambda wanted: dropped == wanted,
        "kept_plus_dropped": lambda wanted: len(kept.text) + kept.dropped == wanted,
        "well_formed": lambda _: kept.text.encode() is not None,
        "max_result_chars": lambda wanted: len(kept.text) <= wanted,
        "marker_number_plus_kept": lambda wanted: (
            number is not None and int(number[1]) + len(kept.text) - len(number[0]) == wanted == len(text)
        ),
    }
    for name, wanted in case["expect"].items():
        assert checks[name](wanted), (name, wanted, kept)
