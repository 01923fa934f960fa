"""Which failures are tried again, how often, and after how long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.errors import ModelUnavailable, ProviderFailed
from sidekeep.service.retrying import LONGEST_WAIT_S, wait_s


def _failed(verdict: str, *, retry_after_s: float | None = None, cut_off: bool = False) -> ProviderFailed:
    failure = ProviderFailed("It failed.", verdict=verdict)
    failure.retry_after_s, failure.cut_off = retry_after_s, cut_off
    return failure


@pytest.mark.parametrize("failure", [_failed("unreachable"), _failed("rate_limit"), _failed("server"),
                                     _failed("bad_response", cut_off=True)])  # fmt: skip
def test_what_passes_is_tried_twice_and_no_more(failure: ProviderFailed) -> None:
    waits = [wait_s(failure, retries, 1.0) for retries in range(4)]
    assert waits == [0.5, 2.0, None, None]


@pytest.mark.parametrize(
    "verdict", ["auth", "quota", "overflow", "payload_bytes", "content_filter", "other", "bad_response"]
)
def test_what_stays_is_not_tried_again(verdict: str) -> None:
    assert wait_s(_failed(verdict), 0, 0.5) is None


def test_a_model_that_is_not_installed_is_not_tried_again() -> None:
    assert wait_s(ModelUnavailable("It is not installed."), 0, 0.5) is None


@given(chance=st.floats(0, 1), asked=st.floats(0, 10**6), retries=st.integers(0, 1))
def test_never_sooner_than_the_server_asks_and_never_too_late(chance: float, asked: float, retries: int) -> None:
    wait = wait_s(_failed("rate_limit", retry_after_s=asked), retries, chance)
    if asked > LONGEST_WAIT_S:
        assert wait is None
    else:
        assert wait is not None
        assert asked <= wait <= LONGEST_WAIT_S
        assert wait >= (0.25, 1.0)[retries]
