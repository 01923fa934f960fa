"""`sidekeep backup now|list|restore|verify`: copies of everything that is kept."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep import paths
from sidekeep.domain import backup as rules
from sidekeep.errors import NotFound, SidekeepError, StoreDamaged, StoreFailed

if TYPE_CHECKING:
    from sidekeep.store.backups import Backup, Backups, Plan
    from sidekeep.store.copying import Counts
    from sidekeep.store.database import Database

# Tables that a person has a word for.
WORDS = {"messages": "messages", "blobs": "pictures", "archives": "archives"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the four actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("now", help="make a backup and check it")
    listing = actions.add_parser("list", help="list the backups, the newest first")
    restore = actions.add_parser(
        "restore", help="put a backup in the store's place; what is there now is kept beside it"
    )
    restore.add_argument("name", metavar="NAME", help="as listed, or `newest`, or the path of a store that was kept")
    restore.add_argument("--yes", action="store_true", help="do not ask")
    verify = actions.add_parser("verify", help="read every page of backups and say whether they are sound")
    verify.add_argument("names", metavar="NAME", nargs="*", help="as listed; all where none is named")
    for action in (listing, verify):
        action.add_argument("--json", action="store_true", help="as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0 where it was done (verify: where all are sound), else 1."""
    from sidekeep.store.backups import Backups

    backups = Backups(paths.data_home())
    if arguments.action == "now":
        return _now(backups)
    if arguments.action == "list":
        return _list(backups, as_json=arguments.json)
    if arguments.action == "verify":
        return _verify(backups, arguments.names, as_json=arguments.json)
    return _restore(backups, arguments.name, assume_yes=arguments.yes)


def _now(backups: Backups) -> int:
    from sidekeep.store.opening import opened
    from sidekeep.store.record import Record

    home = paths.data_home()
    if not paths.database(home).exists():
        raise StoreFailed(f"There is no store in {home} yet, so there is nothing to back up.")
    with opened(home, role="backup now") as database:
        made = backups.make(database, _plan(database), now_ms=_now_ms())
    Record(home).drop("backup")
    print(f"Made and checked: {made.backup.path} ({_size(made.backup.bytes)}; {_in_words(made.counts)})")
    for removed in made.removed:
        print(f"Removed: {removed.name}")
    return 0


def _list(backups: Backups, *, as_json: bool) -> int:
    found = backups.all(_plan_now())
    if as_json:
        print(json.dumps([_as_json(backup) for backup in found]))
        return 0
    if not found:
        print(f"There are no backups in {backups.folder} yet. To make one: sidekeep backup now")
    for backup in found:
        kept_for = f"kept for its {backup.kept_for}" if backup.kept_for else "goes with the next backup"
        print(f"{backup.name}  {rules.in_words(backup.at_ms)}  {_size(backup.bytes):>9}  {kept_for}")
    return 0


def _verify(backups: Backups, names: list[str], *, as_json: bool) -> int:
    chosen = [backups.find(name) for name in names] if names else backups.all(_plan_now())
    results = [(backup, *_checked(backup.path)) for backup in chosen]
    if as_json:
        shown = [
            _as_json(backup) | {"sound": problem is None, "problem": problem, "rows": counts}
            for backup, counts, problem in results
        ]
        print(json.dumps(shown))
    else:
        for backup, counts, problem in results:
            print(f"{backup.name}: {'sound; ' + _in_words(counts) if counts is not None else problem}")
        if not results:
            print(f"There are no backups in {backups.folder} yet. To make one: sidekeep backup now")
    return 0 if all(problem is None for _, _, problem in results) else 1


def _restore(backups: Backups, name: str, *, assume_yes: bool) -> int:
    from sidekeep.store import recovery
    from sidekeep.store.opening import StoreFile

    home = paths.data_home()
    source = _source(backups, name)
    counts, problem = _checked(source)
    if counts is None:
        raise StoreDamaged(f"{problem} It was not restored; to see which are sound: sidekeep backup verify")
    print(f"{source.name}: {_in_words(counts)}\nIt takes the place of the store in {home}, which is kept beside it.")
    if not assume_yes and not _agreed():
        return 1
    kept = recovery.restore(StoreFile(home, role="backup restore"), source)
    print(f"Restored: {source.name}")
    if kept is not None:
        print(f"The store that was there is kept: {kept}\nTo go back to it: sidekeep backup restore {kept.name}")
    return 0


def _source(backups: Backups, name: str) -> Path:
    """A backup by its name, or a store that was kept, by its path or its name in the data home."""
    try:
        return backups.find(name).path
    except NotFound:
        for path in (Path(name), paths.data_home() / name):
            if path.name.startswith(("sidekeep.sqlite3.", "sidekeep-")) and path.is_file():
                return path.absolute()
        raise


def _checked(path: Path) -> tuple[Counts | None, str | None]:
    """The rows of each table, or what is wrong."""
    from sidekeep.store import copying

    try:
        return copying.check(path), None
    except SidekeepError as exc:
        return None, exc.message


def _agreed() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        print("Nobody can be asked here. To do it without a question, add: --yes", file=sys.stderr)
        return False
    try:
        answer = input("Restore it? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().casefold() in ("y", "yes"):
        return True
    print("Nothing was changed.")
    return False


def _plan(database: Database | None) -> Plan:
    from sidekeep.service.settings import HostSettings
    from sidekeep.store.backups import Plan

    settings = HostSettings(paths.data_home())
    if database is not None:
        settings.attach(database)
    return Plan(settings.current.backup_daily, settings.current.backup_weekly)


def _plan_now() -> Plan:
    """The plan in force. Looking makes no store, and a damaged one does not keep its backups from being listed."""
    from sidekeep.store.opening import opened

    home = paths.data_home()
    if paths.database(home).exists():
        with contextlib.suppress(StoreFailed), opened(home, role="backup") as database:
            return _plan(database)
    return _plan(None)


def _as_json(backup: Backup) -> dict[str, object]:
    return {
        "name": backup.name,
        "path": str(backup.path),
        "at": backup.at_ms,
        "bytes": backup.bytes,
        "keptFor": backup.kept_for,
    }


def _in_words(counts: Counts | None) -> str:
    return ", ".join(f"{word}: {(counts or {}).get(table, 0)}" for table, word in WORDS.items())


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
