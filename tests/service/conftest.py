"""Services over a store of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.stores import open_services

from sidekeep.llm.scripted import ScriptedClient
from sidekeep.service.services import Services


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def client() -> ScriptedClient:
    """What answers; a test gives it its replies."""
    return ScriptedClient()


@pytest.fixture
def services(tmp_path: Path, client: ScriptedClient) -> Iterator[Services]:
    with open_services(tmp_path / "home", client) as opened:
        yield opened
