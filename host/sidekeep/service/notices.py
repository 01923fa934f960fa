"""What the person should know of: shown by the panel, in `status` and in `status.changed`."""

import threading
from collections.abc import Callable
from typing import NamedTuple


class Notice(NamedTuple):
    """One sentence or two: what is the matter, and what to do. `kind` names the subject (model, settings, limits, backup)."""

    kind: str
    message: str


class Notices:
    """The notices of this process, each with who gave it. Any thread may give some."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # held while the listener is called, so that the last call has the last notices
        self._given: dict[str, tuple[Notice, ...]] = {}
        self._listener: Callable[[], None] = lambda: None

    def listen(self, listener: Callable[[], None]) -> None:
        """Call it after every change, on the thread that made it."""
        self._listener = listener

    def give(self, giver: str, notices: tuple[Notice, ...]) -> None:
        """Replace what `giver` had to say; () where there is nothing any more."""
        with self._lock:
            if self._given.get(giver, ()) == notices:
                return
            self._given[giver] = notices
            self._listener()

    def all(self) -> list[Notice]:
        with self._lock:
            return [notice for notices in self._given.values() for notice in notices]
