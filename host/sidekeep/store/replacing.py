"""Putting another file in the store's place, so that a kill or a power cut leaves the old store or the new one.

A store is up to four files, and no two can be renamed at once; a WAL that outlives its database would be played into the next
one. So the new file is made whole under the name `….incoming`, after the old files have got second names under which they stay.
That name appearing is the moment of the change: from then on whoever comes next finishes it (`finish`), which may be done twice.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sidekeep import logs
from sidekeep.errors import StoreBusy, StoreFailed
from sidekeep.store import copying
from sidekeep.store.copying import Counts

# What may lie beside a database and belong to it. Shared memory is made anew from the WAL.
SIDE_FILES = ("-wal", "-journal")
# SQLite's shared lock is on these bytes of the file, and every connection to a WAL database holds it while it is open.
_SHARED_LOCK = (0x40000002, 510)


def incoming(path: Path) -> Path:
    return path.with_name(path.name + ".incoming")


def replace(path: Path, source: Path, *, kept_as: str, now_ms: int) -> tuple[Path, Counts]:
    """Put a checked copy of `source` in the place of the store `path`, which stays as `<path>.<kept_as>-<time>`.

    Nobody has the store open: the gate is held alone (presence.py). Returns the old store's new place and the new one's rows.
    Raises StoreDamaged where `source` is no sound store, StoreBusy where another program has the store open, StoreFailed; then
    nothing was changed.
    """
    partial = path.with_name(path.name + ".unfinished")
    partial.unlink(missing_ok=True)
    try:
        with copying.opened(source) as connection:
            counts = copying.copy(connection, partial)
        with _disk_errors(path), _kept_from_other_programs(path):
            kept = _keep(path, kept_as, now_ms)
            partial.replace(incoming(path))
            copying.sync_folder(path.parent)
            finish(path)
    finally:
        partial.unlink(missing_ok=True)
    logs.info("the store was replaced by %s; the one before is %s", source.name, kept.name)
    return kept, counts


def finish(path: Path) -> None:
    """Complete a change that has begun; does nothing where none has. The gate is held alone."""
    if not incoming(path).exists():
        return
    for ending in (*SIDE_FILES, "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    copying.sync_folder(path.parent)  # the old WAL is gone for sure before the new database can be there
    incoming(path).replace(path)
    copying.sync_folder(path.parent)


def _keep(path: Path, kept_as: str, now_ms: int) -> Path:
    """Give the store's files second names. The ones a killed attempt gave to these same files go."""
    _drop_names_of_the_living(path)
    kept = path.with_name(f"{path.name}.{kept_as}-{datetime.fromtimestamp(now_ms / 1000, UTC):%Y%m%dT%H%M%SZ}")
    while kept.exists():
        kept = kept.with_name(kept.name + "-again")
    for ending in (*SIDE_FILES, ""):
        _second_name(path.with_name(path.name + ending), kept.with_name(kept.name + ending))
    copying.sync_folder(path.parent)
    return kept


def _drop_names_of_the_living(path: Path) -> None:
    for ending in (*SIDE_FILES, ""):
        living = path.with_name(path.name + ending)
        for name in path.parent.glob(f"{path.name}.*-*Z{ending}"):
            if living.exists() and name.samefile(living):
                name.unlink()


def _second_name(file: Path, name: Path) -> None:
    if not file.exists():
        return
    try:
        os.link(file, name)
    except OSError:  # a file system without second names
        shutil.copy2(file, name)


@contextlib.contextmanager
def _kept_from_other_programs(path: Path) -> Iterator[None]:
    """Nobody can open the store meanwhile, by whatever program. Raises StoreBusy where one has it open.

    This process must have no connection to it: closing the file here drops SQLite's locks. Windows refuses the rename instead.
    """
    if sys.platform == "win32" or not path.exists():
        yield
        return
    import fcntl

    start, length = _SHARED_LOCK
    fd = os.open(path, os.O_RDWR)
    try:
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        except (BlockingIOError, PermissionError) as exc:
            raise StoreBusy(
                f"Another program has {path} open. Nothing was changed: close it there and try again."
            ) from exc
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise StoreFailed(f"{path} could not be replaced: {exc.strerror}. The store is as it was.") from exc
