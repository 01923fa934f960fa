"""`sidekeep offline-model`, the process the host starts for itself."""

import json

import pytest
from tests.cli.conftest import Sidekeep

pytestmark = pytest.mark.model


def test_without_an_order_it_ends_quietly(sidekeep: Sidekeep) -> None:
    result = sidekeep("offline-model")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("order", ["nonsense", "{}", json.dumps({"model": "/none", "alias": "a", "window": 256})])
def test_an_order_it_cannot_serve_is_answered_with_an_error(sidekeep: Sidekeep, order: str) -> None:
    result = sidekeep("offline-model", stdin=order + "\n")
    # The end of stdin may end it first: both are an end, and neither is a traceback.
    assert result.stderr == ""
    assert result.stdout == "" or "error" in json.loads(result.stdout)
