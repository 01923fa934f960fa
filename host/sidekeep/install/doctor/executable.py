"""The program a manifest names, looked at before it is started: there, a file, runnable, its interpreter there."""

import os
import shutil
import stat
from pathlib import Path

from sidekeep.install.doctor.lint import Problem

# What a browser that was started from a menu has on its PATH at least.
MENU_PATH = "/usr/local/bin:/usr/bin:/bin"


def problem(program: Path) -> Problem | None:
    """The first reason for which the system would not start it; None where it looks as if it could."""
    try:
        mode = program.stat().st_mode
    except FileNotFoundError:
        if program.is_symlink():
            return Problem("program_missing", f"is a link to {os.readlink(program)}, which is not there")
        return Problem("program_missing", "is not there")
    except OSError as exc:
        return Problem("program_unreachable", f"cannot be reached: {exc.strerror}")
    if stat.S_ISDIR(mode):
        return Problem("program_is_folder", "is a folder")
    if not os.access(program, os.X_OK):
        return Problem("program_not_executable", "may not be run (it lacks the x permission)")
    return _interpreter(program)


def _interpreter(program: Path) -> Problem | None:
    with program.open("rb") as file:
        first = file.readline(512)
    if not first.startswith(b"#!"):
        return None if first else Problem("program_empty", "is empty")
    if first.endswith(b"\r\n"):
        return Problem("program_crlf", "has Windows line ends, so its first line names no interpreter that is there")
    words = first[2:].decode(errors="replace").split()
    if not words:
        return Problem("interpreter_missing", "names no interpreter in its first line")
    if not Path(words[0]).exists():
        return Problem("interpreter_missing", f"is to be run by {words[0]}, which is not there")
    if Path(words[0]).name == "env" and len(words) > 1 and shutil.which(words[-1], path=MENU_PATH) is None:
        what = f"is to be run by {words[-1]}, which a browser started from the menu does not find"
        return Problem("interpreter_missing", what)
    return None
