"""The host as a browser starts it: frames over pipes, nothing in between."""

import json
import os
import struct
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

from tasks.places import HOST_PROGRAM, ORIGIN
from tasks.say import TaskError

LENGTH = struct.Struct("=I")


class Host:
    """A running host. A context manager: stdin's end ends the host."""

    def __init__(self, home: Path, program: Path = HOST_PROGRAM) -> None:
        self._child = subprocess.Popen(
            [program, ORIGIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "SIDEKEEP_HOME": str(home)},
            cwd=program.parent,
            bufsize=0,
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._stdin, self._stdout = self._child.stdin, self._child.stdout
        self._next = 0

    @property
    def pid(self) -> int:
        return self._child.pid

    def __enter__(self) -> "Host":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stdin.close()
        self._stdout.close()
        self._child.wait(10)

    def request(self, method: str, **params: Any) -> Any:
        """Send one request and wait for its reply; notifications are passed over. Raises TaskError."""
        self._next += 1
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        data = json.dumps(message).encode()
        self._write(LENGTH.pack(len(data)) + data)
        reply = self._message()
        while reply.get("id") != self._next:
            reply = self._message()
        if "error" in reply:
            raise TaskError(f"The host refused {method}: {reply['error']['message']}")
        return reply["result"]

    def hello(self) -> Any:
        """The first request of every connection."""
        return self.request("hello", client="bench", version="0", protocol=1)

    def _write(self, data: bytes) -> None:
        """A pipe takes what fits."""
        view = memoryview(data)
        while view:
            view = view[self._stdin.write(view) :]

    def _message(self) -> Any:
        """The next message; a large one comes in parts (docs/protocol.md, Parts)."""
        pieces: list[str] = []
        while True:
            message = json.loads(self._read(LENGTH.unpack(self._read(LENGTH.size))[0]))
            if "part" not in message:
                return message
            pieces.append(message["part"]["text"])
            if message["part"]["last"]:
                return json.loads("".join(pieces))

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            chunk = self._stdout.read(size - len(data))
            if not chunk:
                raise TaskError("The host ended before it answered: run `.venv/bin/sidekeep --version` to see why.")
            data += chunk
        return data
