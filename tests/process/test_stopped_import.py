"""`sidekeep import` as a process that is killed in the middle, and run again."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.support import exports
from tests.support.filled import fill
from tests.support.stores import OWN, open_services
from tests.support.waiting import wait_until

from sidekeep import paths
from sidekeep.service.export_view import Order

COUNT = 150


def _file(kind: str, folder: Path) -> Path:
    made = exports.write(folder / "claude.json", "claude", COUNT)
    if kind == "claude":
        return made
    with open_services(folder / "source") as source:
        fill(source)
        source.imports.run(OWN, [made])
        return source.exports.make(OWN, Order(target=folder / "own.json")).file


def _begin(home: Path, file: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-P", "-m", "sidekeep", "import", str(file), "--json"]
    return subprocess.Popen(
        command,
        env={**os.environ, "SIDEKEEP_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _imported(home: Path) -> int:
    """How many conversations the store has taken."""
    file = paths.database(home)
    if not file.exists():
        return 0
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM imports").fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # it is being made


def _seen(home: Path) -> list[object]:
    """Names, times and messages of the chats, and the archives."""
    with closing(sqlite3.connect(paths.database(home))) as connection:
        return [
            connection.execute(question).fetchall()
            for question in (
                "SELECT entry_json ->> 'name', entry_json ->> 'createdAt', entry_json ->> 'updatedAt', "
                "entry_json ->> 'pinned', count(*), group_concat(hex(body)) FROM session_entries "
                "JOIN transcript_events USING (session_id) JOIN messages USING (message_pk) "
                "WHERE kind = 'chat' GROUP BY session_key ORDER BY 1, 2, 5",
                "SELECT name, reason, evicted, messages, bytes, part FROM archives ORDER BY 1, 4, 5",
                "SELECT fingerprint, hex(content), messages, revision FROM imports ORDER BY 1",
                "SELECT chats, messages FROM evictions",
            )
        ]


@pytest.mark.parametrize("kind", ["claude", "own"])
def test_an_import_that_was_killed_and_is_run_again_ends_like_one_that_was_not(
    home: Path, tmp_path: Path, kind: str
) -> None:
    file = _file(kind, tmp_path)
    killed = _begin(home, file)
    wait_until(lambda: _imported(home) > 0 or killed.poll() is not None, "nothing is imported")
    killed.kill()
    killed.communicate()
    assert killed.returncode < 0, "it had ended before"
    assert 0 < _imported(home) < COUNT
    left = list(paths.uploads(home).iterdir()) if paths.uploads(home).exists() else []
    assert bool(left) == (kind == "own"), "its pictures lay there"
    for folder in left:
        os.utime(folder, (0, 0))

    told, errors = (again := _begin(home, file)).communicate()
    assert (again.returncode, errors) == (0, "")
    report = json.loads(told)
    assert report["unchanged"] > 0
    assert not left or list(paths.uploads(home).iterdir()) == []

    _begin(tmp_path / "through", file).communicate()
    assert _seen(home) == _seen(tmp_path / "through")
