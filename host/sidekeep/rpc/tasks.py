"""The event loop for what takes time: turns and calls to model servers. Its thread and asyncio start with the first task."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future


class TaskLoop:
    """An asyncio loop on a thread of its own, started when first needed."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._start_lock = threading.Lock()

    @property
    def started(self) -> bool:
        return self._loop is not None

    def start(self, coroutine: Coroutine[Any, Any, None]) -> Future[None]:
        """Run `coroutine` as a task; the future's cancel() cancels the task."""
        import asyncio

        return asyncio.run_coroutine_threadsafe(coroutine, self._running_loop())

    def call(self, function: Callable[[], Coroutine[Any, Any, None]], timeout_s: float) -> None:
        """Run a coroutine function to its end from another thread, for at most `timeout_s`; does nothing if no loop runs."""
        if self._loop is None:
            return
        import asyncio
        from concurrent.futures import TimeoutError as FutureTimeout

        future = asyncio.run_coroutine_threadsafe(function(), self._loop)
        try:
            future.result(timeout_s)
        except (FutureTimeout, TimeoutError):
            future.cancel()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._start_lock:
            if self._loop is None:
                import asyncio

                loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=loop.run_forever, name="tasks", daemon=True)
                self._thread.start()
                self._loop = loop
            return self._loop
