"""What `build.py lint` checks, as tests: one run says everything."""

import pytest

from tasks import checks


@pytest.mark.parametrize("name", list(checks.commands()))
def test_the_checkout_satisfies(name: str) -> None:
    if found := checks.check(name):
        pytest.fail(found, pytrace=False)
