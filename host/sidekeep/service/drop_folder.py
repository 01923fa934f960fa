"""The drop folder (`import.dropFolder`): what is laid into it is imported, then moved to `done/` or `failed/` with a report.

One host at a time looks into it. A file is taken when it has not changed between two looks: whoever copies it may be at it still.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from sidekeep import logs, paths
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.errors import SidekeepError
from sidekeep.service.import_run import Report
from sidekeep.service.importing import Imports
from sidekeep.service.notices import Notice, Notices
from sidekeep.store.locks import NamedLocks

LOOK_EVERY_MS = 2_000
RETRY_S = 60.0
DONE, FAILED = "done", "failed"
# Browsers and file managers write under these names first.
_UNFINISHED = (".part", ".crdownload", ".download", ".tmp", ".unfinished")
_COMPANIONS = (".trajectory.jsonl", ".trajectory-path.json")

Told = Callable[[Report], dict[str, Any]]


class DropFolder:
    """Looks after one folder, which may change. `told` shapes a report; `written` is called after each import."""

    def __init__(
        self,
        imports: Imports,
        locks: NamedLocks,
        notices: Notices,
        *,
        folder: Callable[[], str],
        told: Told,
        written: Callable[[], None],
    ) -> None:
        self._imports = imports
        self._locks = locks
        self._notices = notices
        self._folder = folder
        self._told = told
        self._written = written
        self._changed = threading.Event()
        self._seen: dict[Path, tuple[int, int]] = {}

    def change(self) -> None:
        """The setting has changed: look there from now on."""
        self._changed.set()

    def run(self) -> None:
        """Look after the folder as long as the process runs."""
        while True:
            self._changed.clear()
            folder = self._folder()
            try:
                if folder:
                    self._follow(Path(folder))
            except (OSError, RuntimeError, SidekeepError) as exc:
                logs.warning("the drop folder cannot be used: %s", exc)
                self._say(f"The drop folder {folder} cannot be used. Is it there, and may it be written? ({exc})")
            self._changed.wait(RETRY_S if folder else None)

    def _follow(self, folder: Path) -> None:
        """Look at every change, until another folder is set."""
        from watchfiles import watch

        self.look(folder)
        found = watch(
            folder, recursive=False, stop_event=self._changed, rust_timeout=LOOK_EVERY_MS, yield_on_timeout=True
        )
        for changes in found:
            if changes or self._seen:
                self.look(folder)

    def look(self, folder: Path) -> None:
        """Import what has come to rest. Raises OSError where the folder is not there."""
        there = {file: _state(file) for file in sorted(_files(folder))}
        lock = self._locks.try_lock(f"drop folder {folder}") if there else None
        if lock is not None:
            try:
                for file, state in there.items():
                    if self._seen.get(file) == state and file.exists():
                        self._take(folder, file)
            finally:
                lock.release()
        self._seen = {file: state for file, state in there.items() if file.exists()}

    def _take(self, folder: Path, file: Path) -> None:
        report = self._imports.run(Scope(SIDEKEEP), [file])
        told = self._told(report)
        is_taken = any(told[name] for name in ("added", "updated", "unchanged", "archived")) or not report.failed
        target = paths.ensure_private(folder / (DONE if is_taken else FAILED))
        name = _free_name(target, file.name)
        for companion in _beside(file):
            companion.replace(target / _free_name(target, companion.name))
        file.replace(target / name)
        (target / f"{name}.report.json").write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2))
        self._say(
            _sentence(file.name, told) if is_taken else f"{file.name} was not imported. {report.failed[0].reason}"
        )
        self._written()

    def _say(self, message: str) -> None:
        self._notices.give("drop folder", (Notice("import", message),))


def _files(folder: Path) -> Iterator[Path]:
    """What may be imported: no link, nothing hidden or half-written, nothing that belongs to another file."""
    for file in folder.iterdir():
        is_passed_over = file.name.startswith(".") or file.name.lower().endswith((*_UNFINISHED, *_COMPANIONS))
        if not is_passed_over and not file.is_symlink() and file.is_file():
            yield file


def _state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns


def _beside(file: Path) -> list[Path]:
    stem = file.name.removesuffix(".zst").removesuffix(".jsonl")
    named = (file.with_name(stem + ending) for ending in _COMPANIONS)
    return [companion for companion in named if companion.is_file() and not companion.is_symlink()]


def _free_name(folder: Path, name: str) -> str:
    """The name, with a number where it is taken."""
    stem, dot, ending = name.partition(".")
    number = 1
    free = name
    while (folder / free).exists():
        number += 1
        free = f"{stem}-{number}{dot}{ending}"
    return free


def _sentence(name: str, told: dict[str, Any]) -> str:
    counts = ", ".join(f"{told[each]} {each}" for each in ("added", "updated", "unchanged", "archived") if told[each])
    more = f" {len(told['failed'])} could not be read; the report says which." if told["failed"] else ""
    return f"Imported from the drop folder: {name} ({counts or 'nothing new'}).{more}"
