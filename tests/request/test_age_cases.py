"""The shared cases of group `age`."""

from typing import Any

import pytest
from tests.support.request_cases import cases
from tests.support.request_runs import run_age


def _lines(case: dict[str, Any]) -> dict[int, str]:
    """Attachments that became a line, by index."""
    run = run_age(case["history"], case["params"])
    return {index: entry.text for index, entry in enumerate(run.sent) if entry.shortened == "line"}


@pytest.mark.parametrize("case", cases("age"))
def test_attachments_age_as_the_case_says(case: dict[str, Any]) -> None:
    lines = _lines(case)
    grown = {**case, "history": [*case["history"], *case["params"].get("again_after", [])]}
    checks: dict[str, Any] = {
        "stubbed": lambda wanted: sorted(lines) == wanted,
        "stub_identical": lambda _: lines and all(_lines(grown)[index] == line for index, line in lines.items()),
        "stub_max_lines": lambda wanted: all(len(line.splitlines()) <= wanted for line in lines.values()),
        "stub_contains": lambda wanted: all(wanted in line for line in lines.values()),
    }
    for name, wanted in case["expect"].items():
        assert checks[name](wanted), (name, wanted, lines)
    untouched = [i for i in range(len(case["history"])) if i not in lines]
    assert set(untouched) <= set(run_age(case["history"], case["params"]).whole())
