"""File descriptors 0 and 1, owned: read frames' bytes, write whole frames.

Imported before anything else on the browser's start. After `claim`, fd 1 is stderr and fd 0 is empty, so a stray print, a
library or a child process cannot write into the protocol or eat from it (docs/design.md, Transport).
"""

import contextlib
import os
import select
import sys
import threading

READ_BYTES = 262_144
# After stdin has ended nobody may read stdout any more; a write that makes no progress for this long is given up.
ORPHAN_GRACE_MS = 200


class Disconnected(Exception):
    """The browser's end is gone: leave quietly."""


class Stdio:
    """The two ends of the browser's pipe. `read` belongs to one thread; `write` may be called from any."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._write_lock = threading.Lock()
        if os.name == "posix":
            # A pipe to a browser that reads slowly fills up; with a non-blocking end the wait can watch stdin too.
            os.set_blocking(write_fd, False)

    @classmethod
    def claim(cls) -> "Stdio":
        """Take fds 0 and 1 for the protocol and put harmless ones in their place."""
        for fd in (0, 1, 2):
            _ensure_open(fd)
        read_fd, write_fd = os.dup(0), os.dup(1)
        if sys.platform == "win32":
            import msvcrt

            msvcrt.setmode(read_fd, os.O_BINARY)
            msvcrt.setmode(write_fd, os.O_BINARY)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        return cls(read_fd, write_fd)

    def read(self) -> bytes:
        """The next bytes, at least one; b"" at the end of input."""
        while True:
            try:
                return os.read(self._read_fd, READ_BYTES)
            except BlockingIOError:  # stdin and stdout were one socket
                select.select([self._read_fd], [], [])
            except OSError:  # e.g. the other end of a Windows pipe went away: the same as its end
                return b""

    def has_input(self) -> bool:
        """Whether `read` would return at once. Where that cannot be told (Windows), it says no."""
        if os.name != "posix":
            return False
        return bool(select.select([self._read_fd], [], [], 0)[0])

    def write(self, frame: bytes) -> None:
        """Write one whole frame; no other thread's bytes come between. Raises Disconnected."""
        view = memoryview(frame)
        with self._write_lock:
            while view:
                try:
                    view = view[os.write(self._write_fd, view) :]
                except BlockingIOError:
                    self._wait_until_writable()
                except OSError as exc:
                    raise Disconnected from exc

    def _wait_until_writable(self) -> None:
        poll = select.poll()
        poll.register(self._write_fd, select.POLLOUT)
        poll.register(self._read_fd, 0)  # asks for nothing, so only its hang-up is reported
        ready = dict(poll.poll())
        if self._write_fd in ready:
            return
        poll.unregister(self._read_fd)
        if not poll.poll(ORPHAN_GRACE_MS):
            raise Disconnected


def _ensure_open(fd: int) -> None:
    """A closed standard descriptor would be handed to the next file opened: fill it."""
    try:
        os.fstat(fd)
    except OSError:
        null = os.open(os.devnull, os.O_RDWR)
        if null != fd:
            os.dup2(null, fd)
            with contextlib.suppress(OSError):
                os.close(null)
