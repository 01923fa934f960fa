"""First in, first out: the order that `storage.*` and `history.*` promise, without a thread hop while nothing waits."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol

from sidekeep.errors import StoreBusy


class Job(Protocol):
    """A request's work. `last_try` on the lane's own thread, which waits for locks: there is no later try."""

    def __call__(self, *, last_try: bool) -> None: ...


class OrderedLane:
    """Runs jobs in order of submission.

    While the lane is empty a job runs at once on the submitting (reader) thread, whose store does not wait for locks. A job
    that meets a lock there, or is too large to hold up the reader, moves to the lane's own thread, and so does every later job
    until that one is done. `rest` is called on that thread whenever it has nothing left to do.
    """

    def __init__(self, *, rest: Callable[[], None] = lambda: None) -> None:
        self._jobs: deque[Job] = deque()
        self._lock = threading.Condition()
        self._busy = False
        self._closed = False
        self._thread: threading.Thread | None = None
        self._rest = rest

    def submit(self, job: Job, *, inline: bool) -> None:
        """Run `job` now or hand it over. At its first try `job` may raise StoreBusy, and only before it has had any effect."""
        if inline and self._is_free():
            try:
                job(last_try=False)
            except StoreBusy:
                pass
            else:
                return
        self._hand_over(job)

    def close(self, timeout_s: float) -> bool:
        """Let what was submitted finish, for at most `timeout_s`. True when nothing is left."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
            return self._lock.wait_for(lambda: not self._jobs and not self._busy, timeout_s)

    def _is_free(self) -> bool:
        # Only the submitting thread adds jobs, so a lane seen empty stays empty until it submits.
        with self._lock:
            return not self._jobs and not self._busy

    def _hand_over(self, job: Job) -> None:
        with self._lock:
            self._jobs.append(job)
            self._lock.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ordered-lane", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: bool(self._jobs) or self._closed)
                if not self._jobs:
                    return
                job = self._jobs.popleft()
                self._busy = True
            try:
                job(last_try=True)
            finally:
                del job  # it holds its message, which may be large, and the next may be long in coming
                if not self._jobs:
                    self._rest()
                with self._lock:
                    self._busy = False
                    self._lock.notify_all()
