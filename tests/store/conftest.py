"""Real SQLite files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidekeep.store.database import Database

Open = Callable[[], Database]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store will be."""
    return tmp_path / "sidekeep.sqlite3"


@pytest.fixture
def open_database(path: Path) -> Iterator[Open]:
    """Opens the store, as often as a test wants: each stands for a host."""
    opened: list[Database] = []

    def open_it() -> Database:
        opened.append(Database(path))
        return opened[-1]

    yield open_it
    for database in opened:
        database.close()


@pytest.fixture
def database(open_database: Open) -> Database:
    return open_database()
