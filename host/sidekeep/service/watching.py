"""Watching the data home for two things: another process's write (the tick file), and an edit of settings.toml.

The tick file alone is watched: in its folder the store's own log is written, and each of its pages would wake the watcher
(measured: an append took twice as long). An edit is met by looking at the file's state, for an editor may put a new file in the
old one's place.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from sidekeep import logs, paths
from sidekeep.errors import SidekeepError
from sidekeep.service.announcing import touch

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

# A notice then comes 15 ms after the other's commit; with the library's own values 51 (measured, 95 % under 20 and 96).
WATCH_DEBOUNCE_MS = 50
WATCH_STEP_MS = 10
LOOK_MS = 200
DELETED = 3  # watchfiles.Change, without what it imports
# An editor empties a file before it writes it, or takes it away before it puts the new one there.
SETTLED_S = 0.2


def watch(home: Path, *, on_tick: Callable[[], None], on_settings: Callable[[], None]) -> None:
    """Call the one or the other after each change, and both at the beginning. Returns only where watching is impossible."""
    try:
        _watch(home, on_tick, on_settings)
    except (OSError, RuntimeError) as exc:  # the system has no watch left to give, the folder is gone
        logs.warning("%s cannot be watched (%s): edits and other hosts' writes are met at the next start", home, exc)


def _watch(home: Path, on_tick: Callable[[], None], on_settings: Callable[[], None]) -> NoReturn:
    tick, settings = paths.tick(home).resolve(), paths.settings_file(home)
    watcher = _watcher(tick)
    state, due = _state(settings), None
    _go_on(on_settings)
    _go_on(on_tick)
    while True:
        found = watcher.watch(WATCH_DEBOUNCE_MS, WATCH_STEP_MS, LOOK_MS, None)
        if not isinstance(found, str):
            if any(change == DELETED for change, _ in found):
                watcher = _watcher(tick)
            _go_on(on_tick)
        before, state = state, _state(settings)
        if state != before:
            due = time.monotonic() + SETTLED_S
        elif due is not None and time.monotonic() >= due:
            due = None
            _go_on(on_settings)


def _watcher(tick: Path) -> "RustNotify":
    # watchfiles.watch begins to watch at an unknown moment after the call: what is written before it would be missed.
    from watchfiles._rust_notify import RustNotify

    touch(tick)
    return RustNotify([str(tick)], False, False, 0, False, True)  # noqa: FBT003  the library's own signature


def _state(file: Path) -> tuple[int, int, int] | None:
    """What an edit changes, also one that puts another file in this one's place; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _go_on(call: Callable[[], None]) -> None:
    """Whatever goes wrong with one change, the next one is noticed."""
    try:
        call()
    except SidekeepError as exc:
        logs.warning("a change could not be taken over: %s", exc.message)
    except Exception as exc:
        logs.unexpected("watching", exc)
