"""What people are still to be told of the store's health, in the data home, so that every process tells it and a restart too."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson

from sidekeep import paths
from sidekeep.errors import StoreFailed

# store: another file is in the store's place. damaged: it is damaged and stays. backup: the day's backup failed.
Subject = Literal["store", "damaged", "backup"]

KEPT_MS = 7 * 86_400_000


class Entry(NamedTuple):
    subject: Subject
    message: str
    at_ms: int


class Record:
    """`backups/record.json`: the last word on each subject. What cannot be written is remembered by this process."""

    def __init__(self, home: Path) -> None:
        self._file = paths.backups(home) / "record.json"
        self._unwritten: dict[Subject, Entry] = {}

    def entries(self) -> list[Entry]:
        """What is to be told now. After a week everybody has heard it."""
        known = {entry.subject: entry for entry in self._read()} | self._unwritten
        return [entry for entry in known.values() if entry.at_ms > _now_ms() - KEPT_MS]

    def put(self, subject: Subject, message: str) -> None:
        """Say this from now on, in place of what was said on that subject."""
        self._write(subject, Entry(subject, message, _now_ms()))

    def drop(self, subject: Subject) -> None:
        """That subject is settled."""
        self._write(subject, None)

    def _write(self, subject: Subject, entry: Entry | None) -> None:
        self._unwritten.pop(subject, None)
        before = self._read()
        after = [other for other in before if other.subject != subject] + ([entry] if entry is not None else [])
        if after == before:
            return
        partial = self._file.with_name(f"record-{os.getpid()}.unfinished")
        try:
            paths.ensure_private(self._file.parent)
            with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
                out.write(orjson.dumps([each._asdict() for each in after]))
            partial.replace(self._file)
        except (OSError, StoreFailed):  # a full disk is one of the things it tells of
            with contextlib.suppress(OSError):
                partial.unlink()
            if entry is not None:
                self._unwritten[subject] = entry

    def _read(self) -> list[Entry]:
        try:
            found: Any = orjson.loads(self._file.read_bytes())
            return [Entry(each["subject"], str(each["message"]), int(each["at_ms"])) for each in found]
        except (OSError, ValueError, KeyError, TypeError):
            return []


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
