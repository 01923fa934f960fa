"""A host over pipes, as a browser has it, whose requests may be many at once and whose end may come at any byte."""

import contextlib
import json
import os
import struct
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any

from tasks.places import HOST_PROGRAM, ORIGIN

WAIT_S = 120.0
_LENGTH = struct.Struct("=I")

Message = dict[str, Any]
Reply = Future[Any]


class Refused(Exception):
    """The host answered with an error."""

    def __init__(self, method: str, error: Message) -> None:
        super().__init__(f"{method}: {error['message']}")
        self.method = method
        self.kind: str = error["data"]["kind"]
        self.message: str = error["message"]


class HostGone(Exception):
    """The host ended before it had answered."""


class Client:
    """A running host. A context manager: the end of its input ends it. `heard` is called with each notification, in order."""

    def __init__(
        self,
        home: Path,
        *,
        environment: Mapping[str, str] | None = None,
        heard: Callable[[Message], None] = lambda _: None,
        program: Sequence[str | Path] = (HOST_PROGRAM,),
    ) -> None:
        self._heard = heard
        self._lock = threading.Lock()
        self._waiting: dict[object, tuple[str, Reply]] = {}
        self._pieces: dict[str, list[str]] = {}
        self._next = 0
        self._gone = False
        self.broken: list[str] = []  # what came that is no message of the protocol
        self.process = subprocess.Popen(
            [*program, ORIGIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "SIDEKEEP_HOME": str(home), **(environment or {})},
            bufsize=0,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def start(self, method: str, params: Mapping[str, Any]) -> Reply:
        """Send a request. Its reply raises Refused, or HostGone where none comes any more."""
        reply: Reply = Future()
        with self._lock:
            self._next += 1
            number = self._next
            self._waiting[number] = (method, reply)
        try:
            self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        except OSError:
            self._end_all()
        if self._gone:
            self._end_all()
        return reply

    def request(self, method: str, **params: Any) -> Any:
        """Send a request and wait. Raises Refused, HostGone, TimeoutError."""
        return self.start(method, params).result(WAIT_S)

    def hello(self, **params: Any) -> Any:
        """The first request of every connection."""
        return self.request("hello", **{"client": "torture", "version": "0", "protocol": 1, **params})

    def send(self, message: object) -> None:
        """One message as one frame; bytes are a payload already. Raises OSError where nobody reads."""
        payload = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
        self.write(_LENGTH.pack(len(payload)) + payload)

    def write(self, data: bytes) -> None:
        """Bytes as they are."""
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) or 0 :]

    def kill(self) -> None:
        """SIGKILL. What it had answered by then has been read when this returns."""
        self.process.kill()
        self.end()

    def end(self) -> int:
        """Close the input and wait for the end; returns the exit status."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            status = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.broken.append("the host did not end at the end of its input")
            self.process.kill()
            status = self.process.wait()
        self._reader.join(10)
        self.process.stdout.close()
        return status

    def _read(self) -> None:
        assert self.process.stdout is not None
        pending = bytearray()
        while chunk := self.process.stdout.read(262_144):
            pending += chunk
            while len(pending) >= _LENGTH.size:
                (length,) = _LENGTH.unpack_from(pending)
                if len(pending) < _LENGTH.size + length:
                    break
                payload = bytes(pending[_LENGTH.size : _LENGTH.size + length])
                del pending[: _LENGTH.size + length]
                self._take(payload)
        self._gone = True
        self._end_all()

    def _take(self, payload: bytes) -> None:
        try:
            message = self._whole(json.loads(payload))
        except (ValueError, KeyError, TypeError) as exc:
            self.broken.append(f"{exc}: {payload[:100]!r}")
            return
        if message is None:
            return
        if "method" in message:
            self._heard(message)
            return
        with self._lock:
            method, reply = self._waiting.pop(message.get("id"), ("", None))
        if reply is None:
            self._heard(message)
        elif "error" in message:
            reply.set_exception(Refused(method, message["error"]))
        else:
            reply.set_result(message["result"])

    def _whole(self, message: Message) -> Message | None:
        if "part" not in message:
            return message
        part = message["part"]
        pieces = self._pieces.setdefault(part["stream"], [])
        pieces.append(part["text"])
        if not part["last"]:
            return None
        whole: Message = json.loads("".join(self._pieces.pop(part["stream"])))
        return whole

    def _end_all(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for method, reply in waiting.values():
            reply.set_exception(HostGone(method))
