"""Watching the data home for two things: another process's write (the tick file), and an edit of settings.toml.

The folder is watched and not the two files, because an editor puts a new file in the old one's place.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from sidekeep import logs, paths
from sidekeep.errors import SidekeepError
from sidekeep.service.announcing import touch

# A notice then comes 15 ms after the other's commit; with the library's own values 51 (measured, 95 % under 20 and 96).
WATCH_DEBOUNCE_MS = 50
WATCH_STEP_MS = 10
# An editor empties a file before it writes it, or takes it away before it puts the new one there.
SETTLED_S = 0.2


def watch(home: Path, *, on_tick: Callable[[], None], on_settings: Callable[[], None]) -> None:
    """Call the one or the other after each change, and both at the beginning. Returns only where watching is impossible."""
    try:
        _watch(home, on_tick, on_settings)
    except (OSError, RuntimeError) as exc:  # the system has no watch left to give, the folder is gone
        logs.warning("%s cannot be watched (%s): edits and other hosts' writes are met at the next start", home, exc)


def _watch(home: Path, on_tick: Callable[[], None], on_settings: Callable[[], None]) -> NoReturn:
    # watchfiles.watch begins to watch at an unknown moment after the call: what is written before it would be missed.
    from watchfiles._rust_notify import RustNotify

    home = home.resolve()  # some systems report real paths only
    tick, settings = paths.tick(home), paths.settings_file(home)
    touch(tick)
    edited = {str(settings), str(settings.resolve())}  # it may be a link to where a person keeps such files
    folders = sorted({str(home), *(str(Path(name).parent) for name in edited)})
    watcher = RustNotify(folders, False, False, 0, False, True)  # noqa: FBT003  the library's own signature
    _go_on(on_settings)
    _go_on(on_tick)
    due: float | None = None
    while True:
        left_ms = 0 if due is None else max(1, int((due - time.monotonic()) * 1000))
        found = watcher.watch(WATCH_DEBOUNCE_MS, WATCH_STEP_MS, left_ms, None)
        changed = set() if isinstance(found, str) else {path for _, path in found}
        if str(tick) in changed:
            _go_on(on_tick)
        if changed & edited:
            due = time.monotonic() + SETTLED_S
        elif due is not None and time.monotonic() >= due:
            due = None
            _go_on(on_settings)


def _go_on(call: Callable[[], None]) -> None:
    """Whatever goes wrong with one change, the next one is noticed."""
    try:
        call()
    except SidekeepError as exc:
        logs.warning("a change could not be taken over: %s", exc.message)
    except Exception as exc:
        logs.unexpected("watching", exc)
