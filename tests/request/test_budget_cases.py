"""The shared cases of group `budget`."""

from typing import Any

import pytest
from tests.support.request_cases import cases

from sidekeep.request.limits import room


def _window(params: dict[str, Any]) -> int:
    """The window that counts: the person's word, then what an error taught, then the list."""
    window: int = params.get("declared_window") or params.get("learned_window") or params["window"]
    return window


@pytest.mark.parametrize("case", cases("budget"))
def test_the_room_for_messages_is_what_the_case_says(case: dict[str, Any]) -> None:
    params = case["params"]
    found = room(_window(params), params["max_output"], params["reserve"], params.get("input_limit"))
    checks: dict[str, Any] = {
        "budget": lambda wanted: found == wanted,
        "budget_min": lambda wanted: found >= wanted,
        "budget_max": lambda wanted: found <= wanted,
    }
    for name, wanted in case["expect"].items():
        assert checks[name](wanted), (name, wanted, found)
