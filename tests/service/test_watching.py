"""Watching the data home: what is called when, and that nothing ends it."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from sidekeep import paths
from sidekeep.service import watching

WAIT_S = 15
LONG_S = 1.0


class Watched:
    """A watch on a thread of its own. `calls` has what was called, with the file's text at that moment."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.file = paths.settings_file(home)
        self.calls: Queue[tuple[str, str | None]] = Queue()
        self.failing = False
        self._ending = False
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def next(self) -> tuple[str, str | None]:
        return self.calls.get(timeout=WAIT_S)

    def end(self) -> None:
        self._ending = True
        paths.tick(self.home).touch()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()

    def _watch(self) -> None:
        with contextlib.suppress(SystemExit):
            watching.watch(
                self.home, on_tick=lambda: self._called("tick"), on_settings=lambda: self._called("settings")
            )

    def _called(self, name: str) -> None:
        if self._ending:
            raise SystemExit  # watch never returns by itself
        self.calls.put((name, self.file.read_text("utf-8") if self.file.exists() else None))
        if self.failing:
            raise ValueError("something unexpected")


@pytest.fixture
def watch(tmp_path: Path, log: Callable[[], str]) -> Iterator[Callable[[], Watched]]:
    home = paths.ensure_private(tmp_path / "home")
    started: list[Watched] = []

    def start() -> Watched:
        started.append(Watched(home))
        assert sorted([started[-1].next()[0], started[-1].next()[0]]) == ["settings", "tick"]
        return started[-1]

    yield start
    for watched in started:
        watched.end()


def test_both_are_looked_at_when_the_watch_begins(watch: Callable[[], Watched]) -> None:
    assert watch().calls.empty()


def test_each_is_called_for_its_own_file(watch: Callable[[], Watched]) -> None:
    watched = watch()
    (watched.home / "another file").write_text("x", "utf-8")
    paths.tick(watched.home).touch()
    assert watched.next() == ("tick", None)
    watched.file.write_text("a = 1", "utf-8")
    assert watched.next() == ("settings", "a = 1")
    assert watched.calls.empty()


def test_a_tick_file_that_was_taken_away_is_watched_again(watch: Callable[[], Watched]) -> None:
    watched = watch()
    paths.tick(watched.home).unlink()
    assert watched.next()[0] == "tick"
    paths.tick(watched.home).touch()
    assert watched.next()[0] == "tick"


def test_a_file_that_takes_the_others_place_is_an_edit(watch: Callable[[], Watched]) -> None:
    watched = watch()
    fresh = watched.home / "settings.toml.new"
    fresh.write_text("a = 1", "utf-8")
    fresh.replace(watched.file)
    assert watched.next() == ("settings", "a = 1")


def test_a_file_is_read_when_it_has_been_quiet(watch: Callable[[], Watched], monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that empties the file first is given time to write it, also while others write to the store."""
    monkeypatch.setattr(watching, "SETTLED_S", LONG_S)
    watched = watch()
    watched.file.write_text("", "utf-8")
    paths.tick(watched.home).touch()
    assert watched.next()[0] == "tick", "which proves that the empty file was met too"
    watched.file.write_text("a = 1", "utf-8")
    assert watched.next() == ("settings", "a = 1")


def test_an_edit_is_noticed_while_the_tick_file_never_rests(watch: Callable[[], Watched]) -> None:
    watched = watch()
    watched.file.write_text("a = 1", "utf-8")
    found: list[Any] = []
    for _ in range(2000):
        paths.tick(watched.home).touch()
        found.append(watched.next())
        if found[-1][0] == "settings":
            break
    assert found[-1] == ("settings", "a = 1")


def test_a_folder_that_cannot_be_watched_is_logged(tmp_path: Path, log: Callable[[], str]) -> None:
    watching.watch(tmp_path / "gone", on_tick=lambda: None, on_settings=lambda: None)
    assert "cannot be watched" in log()


def test_a_change_that_cannot_be_taken_over_is_logged_and_the_next_one_is_noticed(
    watch: Callable[[], Watched], log: Callable[[], str]
) -> None:
    watched = watch()
    watched.failing = True
    paths.tick(watched.home).touch()
    assert watched.next()[0] == "tick"
    watched.failing = False
    watched.file.write_text("a = 1", "utf-8")
    assert watched.next() == ("settings", "a = 1")
    assert "ValueError in watching" in log()
