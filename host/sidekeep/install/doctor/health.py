"""What the host lives on: its folder, the disk, the store, backups, settings, the key store, crashes that were noted."""

import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sidekeep import paths
from sidekeep.domain import backup as backup_rules
from sidekeep.errors import SidekeepError, StoreFailed
from sidekeep.install.doctor.finding import Finding, fine, warning
from sidekeep.install.plan import Plan, SetMode
from sidekeep.settings import file as settings_file

LITTLE_BYTES = 500_000_000
NONE_BYTES = 20_000_000
DAY_MS = 86_400_000
CRASH_TOLD_MS = 30 * DAY_MS


def examine(home: Path) -> list[Finding]:
    """Everything about a data home. Changes nothing in it."""
    if not home.exists():
        return [fine("The data home", f"{home} is made at the first start."), *_disk(home)]
    found = [*_folder(home)]
    if any(finding.severity == "error" for finding in found):
        return found
    checks = (_open_to_others, _network, _disk, _settings, _store, _backups, _keys, _crashes)
    return [*found, *(finding for check in checks for finding in check(home))]


def _folder(home: Path) -> Iterator[Finding]:
    if not home.is_dir():
        yield Finding(
            "The data home", "home_is_file", f"{home} is a file where the host's folder has to be: move it away."
        )
        return
    try:
        with tempfile.TemporaryFile(dir=home):
            yield fine("The data home", f"{home} can be written to.")
    except OSError as exc:
        mode = stat.S_IMODE(home.stat().st_mode)
        may = sys.platform != "win32" and home.stat().st_uid == os.geteuid() and not mode & stat.S_IWUSR
        repair = Plan((SetMode(home, mode | 0o700),)) if may else None
        what = "run `sidekeep doctor --fix`" if may else "make it writable, or set SIDEKEEP_HOME to another folder"
        yield Finding(
            "The data home",
            "home_not_writable",
            f"{home} cannot be written to ({exc.strerror}): {what}.",
            "error",
            repair,
        )


def _open_to_others(home: Path) -> Iterator[Finding]:
    if sys.platform == "win32":
        return
    for path, mode in ((home, 0o700), (paths.secrets_file(home), 0o600)):
        if path.exists() and path.stat().st_mode & 0o077:
            message = f"Others on this computer can get at {path}: run `sidekeep doctor --fix`."
            yield warning("The data home", "home_open", message, Plan((SetMode(path, mode),)))


def _network(home: Path) -> Iterator[Finding]:
    from sidekeep.store import drive

    if (kind := drive.network_kind(home)) is not None:
        message = (
            f"{home} is on a network drive ({kind}). One computer at a time can use a store there; two would damage it. "
            "Keep a store on each computer's own disk: sidekeep store move"
        )
        yield warning("The data home", "home_on_network", message)


def _disk(home: Path) -> Iterator[Finding]:
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if free < NONE_BYTES:
        yield Finding(
            "The disk", "disk_full", f"Only {free / 1e6:.0f} MB are free in {there}: make room, or nothing can be kept."
        )
    elif free < LITTLE_BYTES:
        yield warning("The disk", "disk_low", f"Only {free / 1e6:.0f} MB are free in {there}.")
    else:
        yield fine("The disk", f"{free / 1e9:.1f} GB are free.")


def _settings(home: Path) -> Iterator[Finding]:
    try:
        settings_file.read(paths.settings_file(home))
    except SidekeepError as exc:
        yield Finding("The settings", "settings_invalid", exc.message)


def _store(home: Path) -> Iterator[Finding]:
    from sidekeep.store import copying

    path = paths.database(home)
    if not path.exists():
        yield fine("The store", "There is none yet.")
        return
    try:
        copying.check(path)
    except StoreFailed as exc:
        advice = "the host puts the newest good backup in its place, or run `sidekeep backup restore newest`"
        yield Finding("The store", "store_unusable", f"{exc.message.rstrip('.')}: {advice}.")
    else:
        yield fine("The store", f"Every page of {path} is sound ({path.stat().st_size / 1e6:.1f} MB).")


def _backups(home: Path) -> Iterator[Finding]:
    from sidekeep.store.backups import Backups

    store = paths.database(home)
    newest = Backups(home).newest_at_ms()
    now_ms = time.time_ns() // 1_000_000
    if newest is None:
        if store.exists() and now_ms - store.stat().st_ctime_ns // 1_000_000 > 2 * DAY_MS:
            yield warning("Backups", "backups_none", "There is no backup yet: make one with `sidekeep backup now`.")
    elif now_ms - newest > 7 * DAY_MS:
        when = backup_rules.in_words(newest)
        yield warning("Backups", "backups_old", f"The newest backup is of {when}: make one with `sidekeep backup now`.")
    else:
        yield fine("Backups", f"The newest is of {backup_rules.in_words(newest)}.")


def _keys(home: Path) -> Iterator[Finding]:
    from sidekeep.store.secrets import SecretStore

    file = paths.secrets_file(home)
    try:
        used = SecretStore(file).has_key_store
    except StoreFailed as exc:
        yield Finding("The key store", "keys_unreadable", exc.message)
        return
    where = (
        "the system's key store" if used else f"{file}, which only you can read, because this system has no key store"
    )
    yield fine("The key store", f"Keys of model servers are kept in {where}.")


def _crashes(home: Path) -> Iterator[Finding]:
    file = paths.crash_file(home)
    if not file.exists() or not file.stat().st_size:
        return
    crashed_at_ms = file.stat().st_mtime_ns // 1_000_000
    if time.time_ns() // 1_000_000 - crashed_at_ms < CRASH_TOLD_MS:
        when = backup_rules.in_words(crashed_at_ms)
        message = (
            f"The host crashed ({when}): `sidekeep doctor report` makes a bundle with {file} in it, to be handed on."
        )
        yield warning("The host", "crashed", message)
