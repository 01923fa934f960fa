"""`sidekeep export [CHAT…]`: everything that is kept, or some chats, as files."""

import argparse
import json
from pathlib import Path

from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.errors import StoreFailed


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("chats", metavar="CHAT", nargs="*", help="ids of chats; everything where none is named")
    parser.add_argument(
        "--format", choices=("json", "markdown", "html"), default="json", help="json comes back exactly (the default)"
    )
    parser.add_argument("--to", metavar="PATH", type=Path, help="the file (markdown: the folder) to make")
    parser.add_argument("--redact", action="store_true", help="replace addresses by [URL]")
    parser.add_argument("--json", action="store_true", help="say where it is as one line of JSON")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0."""
    from sidekeep.cli.opened import services
    from sidekeep.service.export_view import Order

    target: Path | None = arguments.to.absolute() if arguments.to else None
    if target is not None and target.exists():
        raise StoreFailed(f"{target} is there already. Name another one.")
    order = Order(arguments.format, arguments.chats or None, arguments.redact, target)
    with services("export") as opened:
        made = opened.exports.make(Scope(SIDEKEEP), order)
    if arguments.json:
        print(json.dumps({"file": str(made.file), "bytes": made.bytes}))
    else:
        print(f"Exported: {made.file} ({made.bytes:,} bytes). No key of a model server is in it.")
    return 0
