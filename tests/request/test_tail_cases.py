"""The shared cases of group `tail`."""

from typing import Any

import pytest
from tests.support.request_cases import cases
from tests.support.request_runs import entries_of, pairs_are_whole

from sidekeep.request.pairs import paired
from sidekeep.request.window import tail


@pytest.mark.parametrize("case", cases("tail"))
def test_the_frugal_window_keeps_what_the_case_says(case: dict[str, Any]) -> None:
    params = case["params"]
    given = entries_of(case["history"])
    shown = tail(paired(given), max_messages=params["max_messages"], max_characters=params["max_chars"])
    found = {
        "kept_messages": len(shown),
        "dropped_messages": len(given) - len(shown),
        "dropped_chars": sum(e.characters for e in given) - sum(e.own_characters for e in shown),
        "pairs_ok": pairs_are_whole(shown),
        "first_role": shown[0].role,
    }
    for name, wanted in case["expect"].items():
        assert found[name] == wanted, name
