"""`sidekeep logs`: what the host has noted of itself. It holds no message text and no keys."""

import argparse
import os
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from sidekeep import paths

DEFAULT_LINES = 50
LOOK_S = 0.2


def configure(parser: argparse.ArgumentParser) -> None:
    """Add how much, whether to go on, and where it is."""
    parser.add_argument("-f", "--follow", action="store_true", help="go on as more is written, until Ctrl-C")
    parser.add_argument("-n", "--lines", metavar="N", type=int, default=DEFAULT_LINES, help="so many last lines (50)")
    parser.add_argument("--path", action="store_true", help="say where the log is, and nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Returns 0; following ends with Ctrl-C alone."""
    file = paths.log_file(paths.data_home())
    if arguments.path:
        print(file)
        return 0
    if not file.exists() and not arguments.follow:
        print(f"There is no {file} yet: nothing has gone wrong.", file=sys.stderr)
        return 0
    for text in _text(file, arguments.lines, follow=arguments.follow):
        print(text, end="", flush=True)
    return 0


def _text(file: Path, lines: int, *, follow: bool) -> Iterator[str]:
    """The last lines; then whatever is added, also after the log was turned over into a new file."""
    seen = None
    while True:
        if seen != (seen := _identity(file)) and seen is not None:
            with file.open(encoding="utf-8", errors="replace", newline="") as log:
                yield from deque(log, maxlen=max(0, lines))
                lines = sys.maxsize  # what a new file holds is all new
                while follow and _identity(file) == seen:
                    yield log.read()
                    time.sleep(LOOK_S)
                yield log.read()
        if not follow:
            return
        time.sleep(LOOK_S)


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
