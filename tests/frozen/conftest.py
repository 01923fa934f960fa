"""The frozen host, as `python3 build.py package --only-host --wire-host` builds it; .ci/package runs these tests on it."""

from pathlib import Path

import pytest

from tasks.package.places import FROZEN


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Building takes minutes, so nobody who did not build it is kept waiting."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.frozen)
            if not (FROZEN / "wire-host").exists():
                item.add_marker(pytest.mark.skip(reason="no frozen host is built: see .ci/package"))


@pytest.fixture(scope="session")
def program() -> Path:
    return FROZEN / "sidekeep"
