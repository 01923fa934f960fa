"""A damaged store: look closer, and put the newest good backup in its place. The damaged file stays beside it."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import apsw

from sidekeep import logs
from sidekeep.domain import backup as rules
from sidekeep.errors import StoreBusy, StoreDamaged
from sidekeep.store import copying, presence, replacing
from sidekeep.store.backups import Backups
from sidekeep.store.database import translated
from sidekeep.store.opening import GATE_TIMEOUT_S, StoreFile
from sidekeep.store.presence import LOOK_EVERY_S, Holder
from sidekeep.store.record import Record

# Another host lets go as soon as its running request is done; one that has not by now is stopped, or not Sidekeep's of today.
LET_GO_TIMEOUT_S = 5.0


def recover(store: StoreFile) -> bool:
    """Make the store sound. This process has closed it. True where another file is in its place now.

    Every process that meets damage does this, and so does every other that has the store open, because each must close it
    first; the one that gets through the gate first does the work. Raises StoreBusy where one does not let go, StoreDamaged where
    there is no good backup (the store is then as it was), StoreFailed.
    """
    store.mark()
    with presence.gate(store.locks, alone=True, timeout_s=GATE_TIMEOUT_S):
        if not store.is_marked:
            return True  # another process has just done it
        _wait_until_closed(store)
        replacing.finish(store.path)
        complaint = _complaint(store)
        if complaint is not None:
            _restore_newest(store, complaint)
        Record(store.home).drop("damaged")
        store.unmark()
    return complaint is not None


def restore(store: StoreFile, source: Path) -> Path | None:
    """Put a copy of `source` in the store's place because a person wants it. Returns where the store before it is now, if any.

    Raises StoreBusy where it is open somewhere, StoreDamaged where `source` is no sound store, StoreFailed.
    """
    with presence.gate(store.locks, alone=True, timeout_s=GATE_TIMEOUT_S):
        if holders := presence.holders(store.locks):
            raise StoreBusy(f"The store is in use, and nothing was changed. {who(holders)}")
        replacing.finish(store.path)
        with contextlib.suppress(StoreDamaged):
            _fold(store.path)
        kept, _ = replacing.replace(store.path, source, kept_as="replaced", now_ms=_now_ms())
        store.unmark()
        for subject in ("store", "damaged"):
            Record(store.home).drop(subject)
    return kept if kept.exists() else None


def _fold(path: Path) -> None:
    """Bring the WAL into its database, so that the store that is kept is one file. SQLite does it for who has it alone."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with translated():
        connection = apsw.Connection(str(path))
        try:
            connection.pragma("journal_mode", "delete")
        finally:
            connection.close()


def _wait_until_closed(store: StoreFile) -> None:
    end = time.monotonic() + LET_GO_TIMEOUT_S
    while holders := presence.holders(store.locks):
        if time.monotonic() > end:
            raise StoreBusy(f"The store is damaged, and cannot be put right while it is open. {who(holders)}")
        time.sleep(LOOK_EVERY_S)


def who(holders: list[Holder]) -> str:
    """Who has the store open, and what to do about it."""
    return f"It is open in {', and in '.join(map(str, holders))}. Close what uses it, then try again."


def _complaint(store: StoreFile) -> str | None:
    """What is wrong with the store; None where it is sound."""
    try:
        if not store.path.exists() or store.path.stat().st_size == 0:
            return "the file is empty"
        copying.check(store.path)
    except StoreDamaged as exc:
        return exc.message
    return None


def _restore_newest(store: StoreFile, complaint: str) -> None:
    logs.warning("the store is damaged: %s", complaint)
    record = Record(store.home)
    for backup in Backups(store.home).all():
        try:
            kept, _ = replacing.replace(store.path, backup.path, kept_as="damaged", now_ms=_now_ms())
        except StoreDamaged as exc:
            logs.warning("the backup %s is damaged too: %s", backup.name, exc.message)
            continue
        message = (
            f"The store was damaged. The backup of {rules.in_words(backup.at_ms)} has taken its place; "
            f"what was written after that is missing. The damaged file was kept: {kept}"
        )
        record.put("store", message)
        return
    store.unmark()  # each start would look as closely again and find the same
    message = (
        f"The store is damaged and there is no good backup to restore. The file was left as it is: {store.path}. "
        "What can still be read is shown. To begin with an empty store, move the file away."
    )
    record.put("damaged", message)
    raise StoreDamaged(message)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
