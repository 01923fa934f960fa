"""The shared cases of group `classify`."""

from typing import Any

import pytest
from tests.support.request_cases import cases

from sidekeep.request.overflow import classify

KINDS = {"too_many_bytes": "payload_bytes", "field_limit": "other"}


@pytest.mark.parametrize("case", cases("classify"))
def test_an_answer_is_what_the_case_says(case: dict[str, Any]) -> None:
    expected = case["expect"]["kind"]
    assert classify(case["params"]["status"], case["params"]["body"]).kind == KINDS.get(expected, expected)
