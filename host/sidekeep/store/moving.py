"""Moving the data home to another folder or disk.

What is there is copied whole and checked; then one small file in the old home says where the new one is, and from that moment
every program follows it (`paths.data_home`). The old store stays under another name.
"""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from sidekeep import paths
from sidekeep.errors import StoreBusy, StoreFailed
from sidekeep.store import copying, drive, presence, recovery, replacing
from sidekeep.store.copying import Counts
from sidekeep.store.opening import GATE_TIMEOUT_S, StoreFile

# Logs, locks and files on their way belong to the place; everything else goes along.
_GOES_ALONG = ("settings.toml", "settings.good.json", "secrets.json", "backups", "exports", "models")
# Lies in the new folder until everything is there.
_UNFINISHED = "move.unfinished"


def move(home: Path, target: Path, *, now_ms: int) -> tuple[Path, Counts]:
    """Move everything to the folder `target`, which is new or empty. Returns where the old store stays, and the new one's rows.

    Raises StoreBusy where the store is open somewhere, StoreFailed, StoreDamaged; then the old home is as it was.
    """
    _check_target(home, target)
    store = StoreFile(home, role="store move")
    with presence.gate(store.locks, alone=True, timeout_s=GATE_TIMEOUT_S):
        if holders := presence.holders(store.locks):
            raise StoreBusy(f"The store is in use, and nothing was changed. {recovery.who(holders)}")
        replacing.finish(store.path)
        try:
            counts = _copy(home, target)
            _point(home, target)
        except OSError as exc:
            raise StoreFailed(f"The store could not be moved to {target}: {exc.strerror}. It is where it was.") from exc
        return _set_aside(home, now_ms), counts


def _check_target(home: Path, target: Path) -> None:
    if not paths.database(home).exists():
        raise StoreFailed(f"There is no store in {home} yet, so there is nothing to move.")
    if target == home or home in target.parents or target in home.parents:
        raise StoreFailed(f"{target} and {home} are inside of each other. Name a folder elsewhere.")
    if (kind := drive.network_kind(target)) is not None:
        raise StoreFailed(
            f"{target} is on a network drive ({kind}), where two computers that write would damage the store. Name a folder on a "
            "disk of this computer; to bring chats from one to another: sidekeep store merge"
        )
    is_ours = (target / _UNFINISHED).exists()
    if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not is_ours)):
        raise StoreFailed(
            f"{target} is not empty. To bring its chats here: sidekeep store merge {paths.database(target)}"
        )


def _copy(home: Path, target: Path) -> Counts:
    """Nothing stays where it cannot be finished, and what a killed move has left goes first: there may be keys in it."""
    paths.ensure_private(target)
    _clear(target)
    (target / _UNFINISHED).touch()
    try:
        counts = _copied(home, target)
    except BaseException:
        _clear(target)
        raise
    (target / _UNFINISHED).unlink()
    copying.sync_folder(target)
    return counts


def _clear(target: Path) -> None:
    """Remove what a move has begun in its folder; of one that is finished, nothing."""
    if not (target / _UNFINISHED).exists():
        return
    for path in (*(target / name for name in _GOES_ALONG), *target.glob(f"{paths.database(target).name}*")):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    (target / _UNFINISHED).unlink()


def _copied(home: Path, target: Path) -> Counts:
    for name in _GOES_ALONG:
        source = home / name
        if source.is_dir():
            shutil.copytree(source, target / name, dirs_exist_ok=True)
        elif source.exists():
            shutil.copy2(source, target / name)
    with copying.opened(paths.database(home)) as connection:
        return copying.copy(connection, paths.database(target))


def _point(home: Path, target: Path) -> None:
    """The moment of the change."""
    partial = paths.moved_to(home).with_suffix(".unfinished")
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        out.write(str(target))
        out.flush()
        os.fsync(out.fileno())
    partial.replace(paths.moved_to(home))
    copying.sync_folder(home)


def _set_aside(home: Path, now_ms: int) -> Path:
    """Keep the old store under a name that nobody opens; keys are in one place alone."""
    path = paths.database(home)
    kept = path.with_name(f"{path.name}.moved-{datetime.fromtimestamp(now_ms / 1000, UTC):%Y%m%dT%H%M%SZ}")
    for ending in ("-wal", "-shm", "-journal", ""):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(kept.with_name(kept.name + ending))
    (home / "secrets.json").unlink(missing_ok=True)
    return kept
