"""`sidekeep import PATH…`: conversations of other programs, of the file era, and of another Sidekeep."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sidekeep.domain.scope import SIDEKEEP, Scope

if TYPE_CHECKING:
    from sidekeep.service.import_run import Report
    from sidekeep.service.progress import Progress


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a file, a ZIP, or a folder of them")
    parser.add_argument("--dry-run", action="store_true", help="only say what would become of it")
    parser.add_argument("--json", action="store_true", help="as one line of JSON")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0 where everything could be read, else 1."""
    from sidekeep.cli.opened import services

    with services("import", may_make=True) as opened:
        report = opened.imports.run(
            Scope(SIDEKEEP), arguments.paths, dry_run=arguments.dry_run, progress=_progress(as_json=arguments.json)
        )
    return tell(report, as_json=arguments.json, is_dry=arguments.dry_run)


def tell(report: "Report", *, as_json: bool, is_dry: bool = False) -> int:
    """Print what became of an import. Returns the exit status."""
    from sidekeep.handlers.transfer import imported

    shape = imported(report)
    if as_json:
        print(json.dumps(shape))
    else:
        _print(shape, is_dry=is_dry)
    return 1 if report.failed else 0


def _print(shape: dict[str, object], *, is_dry: bool) -> None:
    counts = ", ".join(f"{shape[name]} {name}" for name in ("added", "updated", "unchanged", "archived"))
    would = "Would be (nothing was written): " if is_dry else ""
    print(f"{would}{shape['source'] or 'nothing'}: {counts}")
    if shape["archived"]:
        print("What is past the limit of chats is in the archive, where it is found and from where it comes back.")
    if shape["checkpoints"]:
        print(f"Summaries that stand for what came before them, and lead back to it: {shape['checkpoints']}")
    for each in _list(shape["keysFound"]):
        print(f"A key lies in {each['where']} ({each['provider']}). It was not taken.")
    for each in _list(shape["failed"]):
        print(f"Not imported: {each['where']}: {each['reason']}", file=sys.stderr)


def _list(value: object) -> list[dict[str, str]]:
    return value if isinstance(value, list) else []


def _progress(*, as_json: bool) -> "Progress":
    """A line that a terminal shows while it lasts."""
    is_shown = not as_json and sys.stderr.isatty()

    def tell(done: int, total: int, conversations: int) -> None:
        if is_shown and (conversations % 50 == 0 or done == total):
            share = 100 * done // total if total else 100
            end = "\n" if done == total else ""
            print(f"\r{share:3} %  {conversations:,} conversations", end=end, file=sys.stderr, flush=True)

    return tell
