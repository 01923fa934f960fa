"""Who could change a program that every user of the machine is about to start."""

import os
import stat
from pathlib import Path


def changeable(program: Path) -> Path | None:
    """The first part of a program's path that others than the administrator can change; None where there is none.

    On Windows permissions are not asked.
    """
    if os.name != "posix":
        return None
    real = program.resolve()
    return next((part for part in (real, *real.parents) if part.exists() and _is_changeable(part)), None)


def _is_changeable(part: Path) -> bool:
    found = part.stat()
    by_others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not found.st_mode & stat.S_ISVTX
    return bool(by_others) or found.st_uid != 0
