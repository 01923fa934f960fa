"""Real hosts on a data home of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.host import RunningHost

STRANGER = "a" * 32


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty data home."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def host(home: Path) -> Iterator[RunningHost]:
    """A host that has been greeted."""
    with RunningHost(home) as running:
        running.hello()
        yield running


@pytest.fixture
def stranger(home: Path) -> Iterator[RunningHost]:
    """Another extension's, which settings.toml lets in."""
    (home / "settings.toml").write_text(f'allowed_extensions = ["{STRANGER}"]\n', "utf-8")
    with RunningHost(home, origin=f"chrome-extension://{STRANGER}/") as running:
        running.hello()
        yield running
