"""Real hosts, a real model server, real files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.browser import model_server
from tests.browser.model_server import ModelServer
from tests.support.host import RunningHost


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data home that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
def host(home: Path) -> Iterator[RunningHost]:
    """A host that has been greeted."""
    with RunningHost(home) as running:
        running.hello()
        yield running


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model server on loopback whose answer the test lets out."""
    with model_server.running() as server:
        yield server
