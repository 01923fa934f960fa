"""Giving the texts that wait the grams by which a search finds them quickly (store/search_index.py), while nobody waits.

A thread of its own, in every host: each portion is one short transaction that begins where the last one of whichever host ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from sidekeep import logs
from sidekeep.errors import SidekeepError, StoreBusy
from sidekeep.store import search_index
from sidekeep.store.database import Database

# Who reads an answer or types asks for nothing that long.
QUIET_S = 1.0
# 12 ms, 37 where FTS5 merges (95 %); whoever writes meanwhile waits for it. As long again nothing is done, so that others come in
# between. One message for each transaction takes 2.6 times the processor, and larger portions spare little.
PORTION_BYTES = 50_000
# Texts are also written by who tells no host of it, such as an import at the command line.
LOOK_EVERY_S = 30.0


class Indexing:
    """Works off one store's backlog. `quiet_s` tells for how long nothing was asked and no turn ran."""

    def __init__(
        self, database: Database, quiet_s: Callable[[], float], sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self._database = database
        self._quiet_s = quiet_s
        self._sleep = sleep
        self._due = threading.Event()

    def attend(self) -> None:
        """Somebody has written: look now. From any thread."""
        self._due.set()

    def run(self) -> None:
        """Go on as long as the process runs."""
        while True:
            self.look()
            self._due.wait(LOOK_EVERY_S)
            self._due.clear()

    def look(self) -> None:
        """Index what waits by now, in quiet moments. Never raises."""
        self._wait_for_quiet()
        try:
            while self._is_behind():
                self._index_a_portion()
                self._wait_for_quiet()
        except SidekeepError as exc:
            logs.warning("indexing: %s", exc.message)
        except Exception as exc:
            logs.unexpected("indexing", exc)
        finally:
            self._database.close_here()  # it remembers pages of the whole index

    def _is_behind(self) -> bool:
        with self._database.reading() as tx:
            return search_index.is_behind(tx)

    def _wait_for_quiet(self) -> None:
        while (quiet := self._quiet_s()) < QUIET_S:
            self._sleep(QUIET_S - quiet)

    def _index_a_portion(self) -> None:
        started = time.monotonic()
        try:
            with self._database.transaction() as tx:
                search_index.catch_up(tx, PORTION_BYTES)
        except StoreBusy:
            pass  # somebody's long write: after it
        self._sleep(time.monotonic() - started)
