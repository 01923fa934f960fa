"""Starting a registered program as the browser does, and speaking its language: a frame each way, then the end of the input."""

import contextlib
import json
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from sidekeep.transport.parts import PartAssembler

LENGTH = struct.Struct("=I")
MAX_FRAME_BYTES = 1_048_576
# A cold start on a busy, slow machine takes a second or two.
REPLY_S = 15.0
# The browser kills what is still there two seconds after it has gone.
END_S = 2.0
KEPT_ERROR_BYTES = 4000


Message = dict[str, Any]
Side = Literal["browser", "host"]
# Told of each message, whole, as it leaves or comes.
Listener = Callable[[Side, Message], None]


class NotStarted(Exception):
    """The system did not start the program; the message says why."""


class NoReply(Exception):
    """No frame came. `kind`: polluted (something else came), ended, silent. `raw`: what came."""

    def __init__(self, kind: str, raw: bytes = b"", status: int | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.raw = raw
        self.status = status


@dataclass(frozen=True, slots=True)
class Ended:
    """How the program left: its exit status, None where it had to be killed, and after how long."""

    status: int | None
    seconds: float


class Started:
    """The program, running. A context manager: the end of its input ends it."""

    def __init__(
        self,
        program: Path,
        origin: str,
        *,
        environment: Mapping[str, str] | None = None,
        stderr: bool = True,
        listen: Listener = lambda *_: None,
    ) -> None:
        argv = [str(program), origin, *(("--parent-window=0",) if sys.platform == "win32" else ())]
        if not stderr and os.name == "posix":
            argv = ["/bin/sh", "-c", 'exec "$0" "$@" 2>&-', *argv]
        try:
            self._child = subprocess.Popen(
                argv,
                cwd=program.parent,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if stderr else subprocess.DEVNULL,
                bufsize=0,
            )
        except OSError as exc:
            raise NotStarted(exc.strerror or str(exc)) from exc
        self._listen = listen
        self._parts = PartAssembler()
        self._news = threading.Condition()
        self._said = bytearray()
        self._errors = bytearray()
        self._closed = False
        self._next_id = 0
        self._readers = [threading.Thread(target=self._read, daemon=True)]
        if stderr:
            self._readers.append(threading.Thread(target=self._read_errors, daemon=True))
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> "Started":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @property
    def errors(self) -> str:
        """The end of what it wrote on stderr."""
        return bytes(self._errors).decode(errors="replace").strip()

    def request(self, method: str, **params: Any) -> Message:
        """Send a request and wait for its reply, `result` or `error` in it. Raises NoReply."""
        self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        deadline = time.monotonic() + REPLY_S
        while True:
            message = self.receive(deadline)
            if message.get("id") == self._next_id or ("error" in message and message.get("id") is None):
                return message

    def send(self, message: Message) -> None:
        """Send one frame. A program that has gone is noticed by the reply that does not come."""
        self._listen("browser", message)
        data = json.dumps(message).encode()
        assert self._child.stdin is not None
        with contextlib.suppress(OSError):
            self._child.stdin.write(LENGTH.pack(len(data)) + data)

    def receive(self, deadline: float) -> Message:
        """The next message, whole. Raises NoReply."""
        while True:
            message = self._frame(deadline)
            if "part" in message:
                whole = self._parts.feed(message["part"])
                if whole is None:
                    continue
                message = json.loads(whole)
            self._listen("host", message)
            return message

    def _frame(self, deadline: float) -> Message:
        (length,) = LENGTH.unpack(self._take(LENGTH.size, deadline))
        if not 0 < length <= MAX_FRAME_BYTES:
            raise NoReply("polluted", LENGTH.pack(length) + self._rest())
        payload = self._take(length, deadline)
        try:
            message = json.loads(payload)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise NoReply("polluted", LENGTH.pack(length) + payload)
        return message

    def end(self) -> Ended:
        """Close its input, and see whether it leaves in the time that the browser gives it."""
        assert self._child.stdin is not None
        began = time.monotonic()
        with contextlib.suppress(OSError):
            self._child.stdin.close()
        status: int | None
        try:
            status = self._child.wait(END_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
            status = None
        seconds = time.monotonic() - began
        for reader in self._readers:
            reader.join(END_S)
        return Ended(status, seconds)

    def _take(self, count: int, deadline: float) -> bytes:
        with self._news:
            while len(self._said) < count:
                left = deadline - time.monotonic()
                if self._closed or left <= 0:
                    raise self._broken()
                self._news.wait(left)
            taken = bytes(self._said[:count])
            del self._said[:count]
            return taken

    def _broken(self) -> NoReply:
        raw = bytes(self._said)
        if not self._closed:
            return NoReply("silent", raw)
        try:
            status = self._child.wait(END_S)
        except subprocess.TimeoutExpired:  # it has closed its stdout and lives on
            return NoReply("silent", raw)
        return NoReply("polluted" if raw else "ended", raw, status)

    def _rest(self) -> bytes:
        """What follows an impossible length, as far as it comes at once."""
        with self._news:
            self._news.wait_for(lambda: self._closed, timeout=0.2)
            return bytes(self._said[:KEPT_ERROR_BYTES])

    def _read(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as pipe:
            while chunk := pipe.read(65_536):
                with self._news:
                    self._said += chunk
                    self._news.notify_all()
        with self._news:
            self._closed = True
            self._news.notify_all()

    def _read_errors(self) -> None:
        assert self._child.stderr is not None
        with self._child.stderr as pipe:
            while chunk := pipe.read(65_536):
                self._errors = (self._errors + chunk)[-KEPT_ERROR_BYTES:]


def announced(raw: bytes) -> str:
    """What a browser makes of text on stdout: the length that its first four bytes spell."""
    if len(raw) < LENGTH.size:
        return ""
    return f"{LENGTH.unpack_from(raw)[0]:,}"
