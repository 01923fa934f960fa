"""Whole copies of the store, by SQLite's online backup, and the check that tells whether a file is a sound store."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from sidekeep.errors import Cancelled, StoreDamaged, StoreFailed
from sidekeep.store.database import translated
from sidekeep.store.migrations import STEPS, version_of

# 4 MiB at a time: between two steps a copy can be given up.
STEP_PAGES = 1024
# What a copy leaves free: the store itself needs room to go on.
RESERVE_BYTES = 16 * 1024 * 1024

Counts = dict[str, int]
KeepOn = Callable[[], bool]


def copy(source: apsw.Connection, target: Path, *, keep_on: KeepOn = lambda: True) -> Counts:
    """Copy the store as it is at this moment into the new file `target`, whole and on the disk, and check the copy.

    Writers go on meanwhile: the copy shows the moment of its start. Returns the rows of each table. Raises Cancelled once
    `keep_on` says no, StoreFailed or StoreDamaged; then `target` is gone again.
    """
    _check_room(source, target)
    _create(target)
    try:
        with translated():
            counts = _copy(source, target, keep_on)
        if check(target) != counts:
            raise StoreDamaged(f"The copy {target.name} does not hold what the store holds. It was thrown away.")
        _to_disk(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return counts


def check(path: Path) -> Counts:
    """Read every page of a store's file. Returns the rows of each table; raises StoreDamaged with SQLite's first complaint.

    Changes nothing, also where a WAL lies beside the file.
    """
    with opened(path) as connection:
        complaint = str(next(connection.execute("PRAGMA integrity_check(1)"))[0])
        if complaint != "ok":
            raise StoreDamaged(f"{path.name} is damaged: {complaint.splitlines()[-1]}.")
        version = version_of(connection)
        if not 0 < version <= len(STEPS):
            raise StoreDamaged(f"{path.name} is not a store that this Sidekeep knows (its version is {version}).")
        return _counts(connection)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[apsw.Connection]:
    """A store's file, to be read; its WAL stays as it is."""
    try:
        with translated():
            connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                connection.execute("PRAGMA query_only = ON")
                yield connection
            finally:
                connection.close()
    except StoreDamaged as exc:
        if isinstance(exc.__cause__, apsw.Error):
            raise StoreDamaged(f"{path.name} is damaged: {exc.__cause__}.") from exc.__cause__
        raise


def sync_folder(folder: Path) -> None:
    """Have the folder's names on the disk, so that a power cut does not undo a rename. Windows does that by itself."""
    if os.name == "posix":
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _copy(source: apsw.Connection, target: Path, keep_on: KeepOn) -> Counts:
    connection = apsw.Connection(str(target))
    source.execute("BEGIN")  # one moment for all steps: without it each write of another starts the copy anew
    try:
        # A half copy is thrown away anyhow, so it needs no journal, and is brought to the disk once at its end.
        connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        counts = _counts(source)
        with connection.backup("main", source, "main") as backup:
            while not backup.done:
                if not keep_on():
                    raise Cancelled("The copy was given up.")
                backup.step(STEP_PAGES)
        # The copy has the WAL mark of its source; a file by itself is read without leaving others beside it.
        connection.execute("PRAGMA journal_mode = DELETE")
        return counts
    finally:
        if source.in_transaction:
            source.execute("ROLLBACK")
        connection.close()


def _counts(connection: apsw.Connection) -> Counts:
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage "  # a virtual table has none
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    ).fetchall()
    return {str(name): int(next(connection.execute(f'SELECT count(*) FROM "{name}"'))[0]) for (name,) in names}  # noqa: S608  from the schema


def _create(target: Path) -> None:
    try:
        os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as exc:
        raise StoreFailed(
            f"The file {target} cannot be made: {exc.strerror}. Check the folder's owner and the disk."
        ) from exc


def _check_room(source: apsw.Connection, target: Path) -> None:
    import shutil

    with translated():
        needed = int(source.pragma("page_count")) * int(source.pragma("page_size")) + RESERVE_BYTES
    free = shutil.disk_usage(target.parent).free
    if free < needed:
        raise StoreFailed(
            f"The disk is too full for a copy of the store: it needs {needed / 1e6:.0f} MB, and {free / 1e6:.0f} MB are free."
        )


def _to_disk(path: Path) -> None:
    fd = os.open(path, os.O_RDWR)
    try:
        os.fsync(fd)
    except OSError as exc:
        raise StoreFailed(f"{path.name} could not be brought to the disk: {exc.strerror}.") from exc
    finally:
        os.close(fd)
