"""The host's log: a rotating file in the data home, never stdout, never a conversation's text or a key.

`logging` costs 14 ms to import, so it is imported with the first record, which in a healthy run comes after start. Callers pass
facts (method names, counts, exception types), never payloads; an unexpected exception is logged by type and place, without its
message, because messages of foreign exceptions quote what they met.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging

MAX_BYTES = 1_000_000
BACKUPS = 3
MAX_CRASH_BYTES = 100_000

_folder: Path | None = None
_level = "info"
_logger: logging.Logger | None = None


def configure(folder: Path, level: str = "info") -> None:
    """Say where the log goes; nothing is opened before the first record."""
    global _folder, _level, _logger
    _folder, _level, _logger = folder, level, None


def set_level(level: str) -> None:
    """Log from this level on, from the next record on."""
    global _level  # noqa: PLW0603
    _level = level
    if _logger is not None:
        _logger.setLevel(level.upper())


def info(message: str, *args: object) -> None:
    _log().info(message, *args)


def warning(message: str, *args: object) -> None:
    _log().warning(message, *args)


def unexpected(where: str, exc: BaseException) -> str:
    """Log an exception nobody planned for and return the entry's id, which the caller may show."""
    import traceback
    from uuid import uuid4

    entry = uuid4().hex[:12]
    frames = "".join(traceback.format_tb(exc.__traceback__))
    _log().error("[%s] unexpected %s in %s\n%s", entry, type(exc).__qualname__, where, frames)
    return entry


def note_crashes(file: Path) -> None:
    """Have what ends this process against its will leave its place in `file`: a fault in native code, an exception nobody met.

    Places alone, never words: messages of exceptions quote what they met. The file is empty while nothing has happened.
    The system writes no core: that would be all of the process's memory, chats and keys with it.
    """
    import faulthandler

    _forbid_cores()
    try:
        _make_folder(file.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        fresh = os.O_TRUNC if file.exists() and file.stat().st_size > MAX_CRASH_BYTES else 0
        handle = os.open(file, flags | fresh, 0o600)
    except OSError:
        return  # as for the log
    faulthandler.enable(handle)
    sys.excepthook = lambda kind, _, trace: _crashed(handle, kind, trace)
    threading.excepthook = lambda found: _crashed(handle, found.exc_type, found.exc_traceback)


def _crashed(handle: int, kind: type[BaseException], trace: TracebackType | None) -> None:
    import time
    import traceback

    when = time.strftime("%Y-%m-%d %H:%M:%S %Z")
    text = f"{when} {os.getpid()} {kind.__qualname__}\n{''.join(traceback.format_tb(trace))}\n"
    with contextlib.suppress(OSError):
        os.write(handle, text.encode())


def _forbid_cores() -> None:
    """For this process and those that it starts. A limit of one byte, because Linux hands a core to a program (systemd's,
    Ubuntu's) whatever the limit is, except for that one."""
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0 if most == 0 else 1, most))


def _make_folder(folder: Path) -> None:
    """The log's folder, and the data home where a record comes before anything else is kept there."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _log() -> logging.Logger:
    global _logger  # noqa: PLW0603
    if _logger is None:
        _logger = _open()
    return _logger


def _open() -> logging.Logger:
    import logging
    from logging.handlers import RotatingFileHandler

    logger = logging.getLogger("sidekeep")
    logger.propagate = False
    logger.setLevel(_level.upper())
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    logger.addHandler(logging.NullHandler())
    if _folder is None:
        return logger
    try:
        _make_folder(_folder)
        path = _folder / "host.log"
        path.touch(mode=0o600, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8", errors="replace")
    except OSError:
        return logger  # a log that cannot be written must not stop the host
    handler.rotator = _turn_over
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    logger.addHandler(handler)
    return logger


def _turn_over(source: str, target: str) -> None:
    """Move a full log away and make the next one as private as the first."""
    Path(source).replace(target)
    Path(source).touch(mode=0o600)
