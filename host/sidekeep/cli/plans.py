"""What `install` and `uninstall` share: the options that say where, and the plan in words or as JSON."""

import argparse
import json
from functools import singledispatch
from typing import NamedTuple

from sidekeep.install import browsers, installation
from sidekeep.install.machine import this_platform
from sidekeep.install.places import Wish
from sidekeep.install.plan import (
    KEPT,
    CopyTree,
    DeleteKey,
    Plan,
    RemoveFile,
    RemoveTree,
    SetKey,
    SetMode,
    Step,
    WriteFile,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where, and how to look first."""
    where = configure_browsers(parser)
    where.add_argument("--system", action="store_true", help="for every user of this machine (needs the rights)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")


def configure_browsers(parser: argparse.ArgumentParser) -> "argparse._MutuallyExclusiveGroup":
    """Add the options that name a browser; returns the group that --user-data-dir is in."""
    names = browsers.names(this_platform())
    parser.add_argument(
        "--browser",
        metavar="NAME",
        action="append",
        default=[],
        choices=names,
        help=f"this browser, there or not (may be given again): {', '.join(names)}",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--user-data-dir", metavar="DIR", help="a browser started with --user-data-dir=DIR")
    return where


def wish(arguments: argparse.Namespace) -> Wish:
    """The options as a wish."""
    folder = installation.absolute(arguments.user_data_dir) if arguments.user_data_dir else None
    return Wish(tuple(arguments.browser), folder, getattr(arguments, "system", False))


class Start(NamedTuple):
    """What a registration says: the program, and the ids of the extensions that may start it."""

    program: str
    allowed: tuple[str, ...]


def tell(plan: Plan, start: Start | None, *, dry_run: bool, as_json: bool) -> None:
    """Print what a plan does, or did."""
    if as_json:
        print(json.dumps(_as_json(plan, start, dry_run=dry_run)))
    else:
        print("\n".join(lines(plan, start, dry_run=dry_run)))


def lines(plan: Plan, start: Start | None, *, dry_run: bool) -> list[str]:
    """A plan in words, a line for each step."""
    told = []
    if start is not None:
        told.append(f"The program that browsers start: {start.program}")
        told.append(f"Extensions that may start it: {', '.join(start.allowed)}")
    if plan.steps:
        told.append("To be done:" if dry_run else "Done:")
    told += [f"  {in_words(step)}" for step in plan.steps]
    told += [f"As it should be: {path}" for path in plan.unchanged]
    told += [f"Not there, so left out: {', '.join(plan.left_out)}"] if plan.left_out else []
    told += plan.notes
    return told if plan.steps or plan.unchanged else [*told, "There is nothing to do."]


@singledispatch
def in_words(step: Step) -> str:
    """What a step does, and to what."""
    raise NotImplementedError(step)


@in_words.register
def _(step: WriteFile) -> str:
    old = f"; the one that is there, which is not ours, stays as {step.path.name}{KEPT}" if step.keep else ""
    how = "; in place of the one that is there" if step.replaces and not step.keep else ""
    return f"write {step.path}  (for {step.who}{how}{old})"


@in_words.register
def _(step: RemoveFile) -> str:
    back = "; what it took the place of comes back" if step.restores else ""
    return f"remove {step.path}  (for {step.who}{back})"


@in_words.register
def _(step: SetMode) -> str:
    return f"set the permissions of {step.path} to {step.mode:o}"


@in_words.register
def _(step: SetKey) -> str:
    return f"set {step.key} to {step.value}" + (f" (it is {step.old})" if step.old else "")


@in_words.register
def _(step: DeleteKey) -> str:
    return f"remove {step.key}"


@in_words.register
def _(step: CopyTree) -> str:
    return f"copy {step.source} to {step.target}"


@in_words.register
def _(step: RemoveTree) -> str:
    return f"remove {step.path} and what is in it"


def _as_json(plan: Plan, start: Start | None, *, dry_run: bool) -> dict[str, object]:
    return {
        "done": not dry_run,
        "program": start.program if start else None,
        "allowed": list(start.allowed) if start else None,
        "steps": [_step_as_json(step) for step in plan.steps],
        "unchanged": [str(path) for path in plan.unchanged],
        "left_out": list(plan.left_out),
        "notes": list(plan.notes),
    }


@singledispatch
def _step_as_json(step: Step) -> dict[str, object]:
    raise NotImplementedError(step)


@_step_as_json.register
def _(step: WriteFile) -> dict[str, object]:
    old = f"{step.path}{KEPT}" if step.keep else None
    return {"do": "write", "path": str(step.path), "for": step.who, "old_kept_as": old}


@_step_as_json.register
def _(step: RemoveFile) -> dict[str, object]:
    restores = str(step.restores) if step.restores else None
    return {"do": "remove", "path": str(step.path), "for": step.who, "restores": restores}


@_step_as_json.register
def _(step: SetMode) -> dict[str, object]:
    return {"do": "set_mode", "path": str(step.path), "mode": f"{step.mode:o}"}


@_step_as_json.register
def _(step: SetKey) -> dict[str, object]:
    return {"do": "set_key", "key": str(step.key), "value": step.value, "old": step.old}


@_step_as_json.register
def _(step: DeleteKey) -> dict[str, object]:
    return {"do": "delete_key", "key": str(step.key), "old": step.old}


@_step_as_json.register
def _(step: CopyTree) -> dict[str, object]:
    return {"do": "copy", "from": str(step.source), "path": str(step.target)}


@_step_as_json.register
def _(step: RemoveTree) -> dict[str, object]:
    return {"do": "remove_tree", "path": str(step.path)}
