"""The Chrome DevTools Protocol over a pipe: requests by id, events in order, one reader thread.

The pipe (`--remote-debugging-pipe`) is used and not a port: no other program of the machine can connect to it, the
browser ends when it closes, and `Extensions.*` is served on it alone.
Messages are JSON texts, each ended by a NUL byte. https://chromedevtools.github.io/devtools-protocol/
"""

import contextlib
import itertools
import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

Params = dict[str, Any]
READ_BYTES = 1 << 16


class CdpError(Exception):
    """The browser refused a command, or the thing it was about has gone."""


class CdpTimeoutError(CdpError):
    """Nothing came within the time given."""


class CdpClosedError(CdpError):
    """The browser has ended."""


class Connection:
    """One browser's pipe. Safe to call from several threads."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._write_fd = write_fd
        self._ids = itertools.count(1)
        self._pending: dict[int, Future[Params]] = {}
        self._changed = threading.Condition()
        # Its own lock: the reader must go on while a large command is being written, or both sides would wait.
        self._writing = threading.Lock()
        self._closed = False
        self._targets: dict[str, Params] = {}
        self._listeners: list[Callable[[Params], None]] = []
        self._reader = threading.Thread(target=self._read, args=(read_fd,), name="cdp", daemon=True)
        self._reader.start()

    @property
    def closed(self) -> bool:
        """Whether the browser has ended."""
        return self._closed

    def targets(self) -> list[Params]:
        """What there is now: pages, tabs, workers, as `Target.targetInfo` has them."""
        with self._changed:
            return list(self._targets.values())

    def call(self, method: str, params: Params | None = None, *, session: str = "", timeout_s: float = 60) -> Params:
        """Send one command and wait for its result. Raises CdpError, CdpTimeoutError, CdpClosedError."""
        number, future = self._enlist()
        message: Params = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        try:
            self._write(json.dumps(message).encode() + b"\0")
            return future.result(timeout_s)
        except TimeoutError as exc:
            raise CdpTimeoutError(f"{method} was not answered within {timeout_s:g} s") from exc
        finally:
            self._pending.pop(number, None)

    def listen(self, listener: Callable[[Params], None]) -> Callable[[], None]:
        """Call `listener` with every event, on the reader thread. Returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def wait_target(self, wanted: Callable[[Params], bool], *, what: str, timeout_s: float) -> Params:
        """The first target that is `wanted`, now or as soon as it is there. `what` names it in the time-out's text."""

        def found() -> Params | None:
            return next((info for info in self._targets.values() if wanted(info)), None)

        with self._changed:
            self._changed.wait_for(lambda: self._closed or found() is not None, timeout_s)
            info = found()
        if info is not None:
            return info
        raise CdpClosedError("the browser has ended") if self._closed else CdpTimeoutError(f"{what} did not appear")

    def wait_gone(self, target_id: str, *, timeout_s: float) -> None:
        """Wait until a target has ended."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._closed or target_id not in self._targets, timeout_s):
                raise CdpTimeoutError("the browser did not end it")

    def wait_closed(self, timeout_s: float | None = None) -> bool:
        """Wait for the browser to end; whether it did."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        with self._changed:
            while not self._closed and (deadline is None or time.monotonic() < deadline):
                # Bounded, because an endless wait would hold back the KeyboardInterrupt of Ctrl-C on Windows.
                self._changed.wait(0.5 if deadline is None else deadline - time.monotonic())
        return self._closed

    def hang_up(self) -> None:
        """Close our end: the browser then ends by itself."""
        with contextlib.suppress(OSError):
            os.close(self._write_fd)

    def _enlist(self) -> tuple[int, Future[Params]]:
        future: Future[Params] = Future()
        number = next(self._ids)
        with self._changed:
            if self._closed:
                raise CdpClosedError("the browser has ended")
            self._pending[number] = future
        return number, future

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        with self._writing:
            try:
                while view:
                    view = view[os.write(self._write_fd, view) :]
            except OSError as exc:
                raise CdpClosedError("the browser has ended") from exc

    def _read(self, fd: int) -> None:
        rest = b""
        with open(fd, "rb", buffering=0) as pipe:
            while chunk := _read_some(pipe.fileno()):
                *messages, rest = (rest + chunk).split(b"\0")
                for message in messages:
                    self._receive(json.loads(message))
        self._end()

    def _receive(self, message: Params) -> None:
        future = self._pending.get(message.get("id", 0))
        if future is not None and "error" in message:
            future.set_exception(CdpError(message["error"].get("message", "refused")))
        elif future is not None:
            future.set_result(message.get("result", {}))
        elif "method" in message:
            self._note_target(message)
            for listener in tuple(self._listeners):
                listener(message)

    def _note_target(self, message: Params) -> None:
        method, params = message["method"], message.get("params", {})
        with self._changed:
            if method in ("Target.targetCreated", "Target.targetInfoChanged"):
                info = params["targetInfo"]
                self._targets[info["targetId"]] = info
            elif method == "Target.targetDestroyed":
                self._targets.pop(params["targetId"], None)
            self._changed.notify_all()

    def _end(self) -> None:
        with self._changed:
            self._closed = True
            pending, self._pending = self._pending, {}
            self._changed.notify_all()
        for future in pending.values():
            future.set_exception(CdpClosedError("the browser has ended"))


def _read_some(fd: int) -> bytes:
    try:
        return os.read(fd, READ_BYTES)
    except OSError:  # the browser was killed
        return b""
