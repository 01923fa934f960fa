"""`sidekeep settings`: what is in force, whether settings.toml is right, and the confirmation that a lowered limit waits for."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sidekeep import paths
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.errors import Problem, SettingsInvalid
from sidekeep.service.announcing import touch
from sidekeep.service.clock import now_ms
from sidekeep.service.limits import Limits
from sidekeep.service.retention import Excess, enforce, excess
from sidekeep.service.settings import HostSettings
from sidekeep.settings import file as settings_file
from sidekeep.settings.model import KEYS, value_of
from sidekeep.store.database import Database
from sidekeep.store.locks import NamedLocks
from sidekeep.store.opening import opened


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the four actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    show = actions.add_parser(
        "show", help="say what is in force, where it comes from, and what waits (without ACTION too)"
    )
    path = actions.add_parser("path", help="say where settings.toml is, or would be")
    check = actions.add_parser("check", help="say which lines of settings.toml are wrong")
    confirm = actions.add_parser("confirm", help="let limits count that were lowered in settings.toml")
    confirm.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    for sub in (show, path, check, confirm):
        # Its own default would undo a --json that stands before the action.
        sub.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="as one line of JSON")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0; 1 where the file is wrong (check), or where somebody has to be asked and says no (confirm)."""
    as_json = arguments.json
    if arguments.action == "path":
        return _path(as_json=as_json)
    if arguments.action == "check":
        return _check(as_json=as_json)
    if arguments.action == "confirm":
        return _confirm(as_json=as_json, assume_yes=arguments.yes)
    return _show(as_json=as_json)


def _path(*, as_json: bool) -> int:
    file = paths.settings_file(paths.data_home())
    print(json.dumps({"path": str(file), "exists": file.exists()}) if as_json else file)
    return 0


def _check(*, as_json: bool) -> int:
    file = paths.settings_file(paths.data_home())
    problems: list[Problem] = []
    unknown: list[tuple[int, str]] = []
    try:
        data = settings_file.content(file)
        if data is not None:
            settings_file.parse(file, data)
            unknown = settings_file.unknown(file, data)
    except SettingsInvalid as exc:
        problems = list(exc.problems)
    if as_json:
        print(json.dumps({"path": str(file), "problems": _lines(problems), "unknown": _lines(unknown)}))
        return 1 if problems else 0
    for line, text in problems:
        print(f"{file}{'' if line is None else f':{line}'}: {text}")
    for line, name in unknown:
        print(f"{file}:{line}: {name} is no setting of this version; it is passed over.")
    if not problems and not unknown:
        print(f"{file}: {'nothing is wrong' if data is not None else 'there is no such file; the defaults count'}.")
    return 1 if problems else 0


def _lines(found: Any) -> list[dict[str, Any]]:
    return [{"line": line, "message": text} for line, text in found]


def _show(*, as_json: bool) -> int:
    with _settings() as (settings, _):
        layered, wrong = settings.layered, settings.wrong
    values = {name: value_of(layered.settings, name) for name in KEYS}
    if as_json:
        shown = {"settings": values, "source": layered.source, "pending": layered.pending}
        print(json.dumps({**shown, "wrong": wrong.message if wrong else None}))
        return 0
    if wrong:
        print(f"{wrong.message} What follows is in force all the same.", file=sys.stderr)
    width = max(map(len, KEYS))
    for name, value in values.items():
        waits = f"; {layered.pending[name]} waits: sidekeep settings confirm" if name in layered.pending else ""
        print(f"{name:<{width}}  {json.dumps(value)}  ({layered.source[name]}{waits})")
    return 0


def _confirm(*, as_json: bool, assume_yes: bool) -> int:
    with _settings(make_store=True) as (settings, database):
        if settings.wrong:
            raise settings.wrong
        pending = dict(settings.layered.pending)
        if database is not None and pending:
            leaving = excess(database, Scope(SIDEKEEP), settings.with_values(pending))
            _explain(pending, settings, leaving, to=sys.stderr if as_json else sys.stdout)
            if not assume_yes and not _agreed():
                return 1
            settings.confirm(pending)
            _enforce(settings, database)
    if as_json:
        print(json.dumps({"confirmed": pending}))
    else:
        print("Confirmed." if pending else "Nothing waits for a confirmation.")
    return 0


def _enforce(settings: HostSettings, database: Database) -> None:
    """Archive what is over the limits now, and let hosts that run tell their panels."""
    home = paths.data_home()
    locks = NamedLocks(paths.locks(home))
    limits = Limits(lambda: settings.current, lambda namespace, chat_id: locks.is_held(f"{namespace}/{chat_id}"))
    enforce(database, limits, now_ms)
    touch(paths.tick(home))


def _explain(pending: Mapping[str, int], settings: HostSettings, leaving: Excess, *, to: Any) -> None:
    for name, limit in pending.items():
        before = value_of(settings.current, name)
        print(f"{name}: {limit} instead of {before or 'no limit'}", file=to)
    if leaving.chats or leaving.messages:
        print(
            f"Over these limits: {len(leaving.chats)} chats and {leaving.messages} messages of others. They go to the archive.",
            file=to,
        )
        for chat, size in leaving.chats[:20]:
            print(f"  {chat.name} ({size.messages} messages)", file=to)
        if len(leaving.chats) > 20:
            print(f"  and {len(leaving.chats) - 20} more", file=to)
    else:
        print("Nothing is over these limits now.", file=to)


def _agreed() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        print("Nobody can be asked here. Run: sidekeep settings confirm --yes", file=sys.stderr)
        return False
    try:
        answer = input("Confirm? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().casefold() in ("y", "yes"):
        return True
    print("Nothing was confirmed.")
    return False


@contextmanager
def _settings(*, make_store: bool = False) -> Iterator[tuple[HostSettings, Database | None]]:
    """The settings, and the store where there is one: looking makes none, only a confirmation that has to be kept."""
    home = paths.data_home()
    settings = HostSettings(home)
    if not paths.database(home).exists() and not (make_store and settings.layered.pending):
        yield settings, None
        return
    paths.ensure_private(home)
    with opened(home, role="settings") as database:
        settings.attach(database)
        yield settings, database
