"""`sidekeep store move|merge|check`: the store as a whole."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep import paths
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.errors import StoreDamaged, StoreFailed
from sidekeep.service.clock import now_ms

if TYPE_CHECKING:
    from sidekeep.store.health import Complaint


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the three actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    move = actions.add_parser("move", help="move everything to another folder or disk; hosts find it there")
    move.add_argument("folder", metavar="DIR", type=Path, help="a new or empty folder")
    merge = actions.add_parser(
        "merge", help="bring in the chats of another store: of another computer, another profile"
    )
    merge.add_argument("other", metavar="OTHER.sqlite3", type=Path, help="its file; it is only read")
    check = actions.add_parser("check", help="read everything and say whether it is sound")
    check.add_argument("--repair", action="store_true", help="put right what is not")
    for action in (merge, check):
        action.add_argument("--json", action="store_true", help="as one line of JSON")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0 where it was done (check: where all is sound, at the end), else 1."""
    if arguments.action == "move":
        return _move(arguments.folder.absolute())
    if arguments.action == "merge":
        return _merge(arguments.other.absolute(), as_json=arguments.json)
    return _check(may_repair=arguments.repair, as_json=arguments.json)


def _move(target: Path) -> int:
    from sidekeep.store import moving

    home = paths.data_home()
    kept, counts = moving.move(home, target, now_ms=now_ms())
    print(f"Moved and checked: {target} ({counts['messages']} messages). Hosts find it there.")
    print(f"The old store is kept: {kept}\nWhen all is well, delete it.")
    return 0


def _merge(other: Path, *, as_json: bool) -> int:
    """By way of an export of a copy, so that the other store is only read, whatever version it has."""
    from sidekeep.cli.import_ import tell
    from sidekeep.cli.opened import services
    from sidekeep.service import aside
    from sidekeep.service.export_view import Order
    from sidekeep.service.exporting import Exports
    from sidekeep.store import copying
    from sidekeep.store.database import Database

    if not other.is_file():
        raise StoreFailed(f"There is no file {other}.")
    if other == paths.database(paths.data_home()):
        raise StoreFailed(f"{other} is this store itself.")
    with services("store merge", may_make=True) as opened, aside.folder(opened.home) as folder:
        copy, file = folder / "other.sqlite3", folder / other.name
        with copying.opened(other) as connection:
            copying.copy(connection, copy)
        database = Database(copy)
        try:
            Exports(database, opened.home, now_ms).make(Scope(SIDEKEEP), Order(target=file))
        finally:
            database.close()
        return tell(opened.imports.run(Scope(SIDEKEEP), [file]), as_json=as_json)


def _check(*, may_repair: bool, as_json: bool) -> int:
    home = paths.data_home()
    if not paths.database(home).exists():
        raise StoreFailed(f"There is no store in {home} yet.")
    found = _found()
    is_sound = not found
    if found and may_repair:
        is_sound = not _repaired()
    if as_json:
        told = [{"message": each.text, "repairable": each.is_repairable} for each in found]
        print(json.dumps({"complaints": told, "sound": is_sound, "repaired": bool(found) and is_sound}))
        return 0 if is_sound else 1
    for each in found:
        print(each.text)
    if not found:
        print(f"{paths.database(home)} is sound.")
    elif is_sound:
        print("It was put right, and is sound now.")
    else:
        print("That could not be put right." if may_repair else "To put it right: sidekeep store check --repair")
    return 0 if is_sound else 1


def _found() -> "list[Complaint]":
    """What is wrong: with the file, else with its rows."""
    from sidekeep.store import copying, health
    from sidekeep.store.health import Complaint
    from sidekeep.store.opening import opened

    home = paths.data_home()
    try:
        copying.check(paths.database(home))
    except StoreDamaged as exc:
        return [Complaint(exc.message)]
    with opened(home, role="store check") as database, database.reading() as tx:
        return list(health.complaints(tx))


def _repaired() -> "list[Complaint]":
    """Put it right; what is wrong still. A damaged file gives way to the newest good backup. Raises StoreDamaged without one."""
    from sidekeep.store import copying, health, recovery
    from sidekeep.store.opening import StoreFile, opened

    home = paths.data_home()
    try:
        copying.check(paths.database(home))
    except StoreDamaged:
        recovery.recover(StoreFile(home, role="store check"))
    with opened(home, role="store check") as database, database.transaction() as tx:
        health.repair(tx, now_ms())
    return _found()
