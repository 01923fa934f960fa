"""A real host over pipes, as a browser starts it: frames and parts both ways, every wait bounded."""

import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

ORIGIN = "chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklm/"
# SIDEKEEP_TEST_PROGRAM names a frozen host, which passes the same tests. A frozen test host starts others like itself.
_GIVEN = os.environ.get("SIDEKEEP_TEST_PROGRAM") or (sys.executable if hasattr(sys, "frozen") else "")
PROGRAM = (_GIVEN,) if _GIVEN else (sys.executable, "-m", "sidekeep")
WAIT_S = 60.0
LENGTH = struct.Struct("=I")

Message = dict[str, Any]


class WireError(Exception):
    """The host answered a request with an error."""

    def __init__(self, method: str, error: Message) -> None:
        super().__init__(f"{method}: {error}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Message = error["data"]
        self.kind: str = error["data"]["kind"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a host ended, and how long after it was told to."""

    status: int
    seconds: float


class RunningHost:
    """A host and what it said. A context manager: the end of its input ends it."""

    def __init__(
        self,
        home: Path,
        *,
        origin: str = ORIGIN,
        program: Sequence[str] = PROGRAM,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home
        self.messages: list[Message] = []
        self.frame_sizes: list[int] = []
        self.trailing = b""
        self._news = threading.Condition()
        self._ended = False
        self._parts: dict[str, list[str]] = {}
        self._next_id = 0
        self.process = subprocess.Popen(
            [*program, origin],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "SIDEKEEP_HOME": str(home), **(environment or {})},
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._stdin, self._stdout, self._stderr = self.process.stdin, self.process.stdout, self.process.stderr
        self._readers = [threading.Thread(target=target, daemon=True) for target in (self._read, self._read_errors)]
        self.errors = b""
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> "RunningHost":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close_input()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._drain()

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        view = memoryview(data)
        while view:
            view = view[self._stdin.write(view) :]

    def send(self, message: object) -> None:
        """Send one message as one frame."""
        self.write(frame(message))

    def send_in_parts(self, message: object, *, stream: str, part_chars: int = 500_000) -> None:
        """Send one message as parts."""
        for part in parts_of(message, stream=stream, part_chars=part_chars):
            self.send(part)

    def start(self, method: str, **params: Any) -> int:
        """Send a request and return its id."""
        message = self.numbered(method, params)
        self.send(message)
        number: int = message["id"]
        return number

    def numbered(self, method: str, params: Mapping[str, Any]) -> Message:
        """A request with the next id, not sent."""
        self._next_id += 1
        return {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": dict(params)}

    def reply(self, number: object, *, within_s: float = WAIT_S) -> Message:
        """The reply with that id, whole."""
        return self.wait_for(lambda message: message.get("id") == number and "method" not in message, within_s=within_s)

    def result(self, number: object, *, within_s: float = WAIT_S) -> Any:
        """The result of the request with that id. Raises WireError."""
        reply = self.reply(number, within_s=within_s)
        if "error" in reply:
            raise WireError(str(number), reply["error"])
        return reply["result"]

    def request(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its result. Raises WireError."""
        reply = self.reply(self.start(method, **params))
        if "error" in reply:
            raise WireError(method, reply["error"])
        return reply["result"]

    def hello(self, **params: Any) -> Any:
        """The first request of every connection."""
        return self.request("hello", **{"client": "tests", "version": "0", "protocol": 1, **params})

    def wait_for(self, is_wanted: Callable[[Message], bool], *, within_s: float = WAIT_S, after: int = 0) -> Message:
        """The first message from number `after` on that is wanted; an AssertionError where none comes."""
        end = time.monotonic() + within_s
        looked_at = after
        with self._news:
            while True:
                for message in self.messages[looked_at:]:
                    looked_at += 1
                    if is_wanted(message):
                        return message
                assert not self._ended, f"the host ended without the message that was awaited; stderr: {self.errors!r}"
                left = end - time.monotonic()
                assert left > 0, f"the message that was awaited did not come within {within_s} s"
                self._news.wait(left)

    def event(self, method: str, *, within_s: float = WAIT_S, after: int = 0) -> Message:
        """The parameters of the first such notification."""
        found: Message = self.wait_for(lambda message: message.get("method") == method, within_s=within_s, after=after)[
            "params"
        ]
        return found

    def events(self, method: str) -> list[Message]:
        """The parameters of every such notification so far."""
        with self._news:
            return [message["params"] for message in self.messages if message.get("method") == method]

    def close_input(self) -> None:
        """The browser's way of saying that it is done."""
        self._stdin.close()

    def end(self, *, within_s: float = 10.0, by: Callable[[], None] | None = None) -> Ended:
        """End the host (by closing its input, unless `by` says how) and see how it goes."""
        started = time.monotonic()
        (by or self.close_input)()
        status = self.process.wait(within_s)
        seconds = time.monotonic() - started
        self.close_input()
        self._drain()
        return Ended(status, seconds)

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def kill(self) -> Ended:
        """SIGKILL: nothing of the host gets to run again."""
        return self.end(by=self.process.kill)

    def log(self) -> str:
        """What the host wrote into its log."""
        file = self.home / "logs" / "host.log"
        return file.read_text("utf-8") if file.exists() else ""

    def _drain(self) -> None:
        for reader in self._readers:
            reader.join(5)
        self._stdout.close()
        self._stderr.close()

    def _read(self) -> None:
        pending = b""
        while chunk := self._stdout.read(262_144):
            pending += chunk
            while len(pending) >= LENGTH.size:
                (length,) = LENGTH.unpack_from(pending)
                if len(pending) < LENGTH.size + length:
                    break
                self._take(length, json.loads(pending[LENGTH.size : LENGTH.size + length]))
                pending = pending[LENGTH.size + length :]
        with self._news:
            self.trailing = pending
            self._ended = True
            self._news.notify_all()

    def _take(self, length: int, message: Message) -> None:
        if "part" in message:
            part = message["part"]
            pieces = self._parts.setdefault(part["stream"], [])
            assert part["seq"] == len(pieces), "parts of a stream come in order"
            pieces.append(part["text"])
            whole = json.loads("".join(self._parts.pop(part["stream"]))) if part["last"] else None
        else:
            whole = message
        with self._news:
            self.frame_sizes.append(length)
            if whole is not None:
                self.messages.append(whole)
            self._news.notify_all()

    def _read_errors(self) -> None:
        while chunk := self._stderr.read(65_536):
            self.errors += chunk


def frame(message: object) -> bytes:
    """One message as the bytes of one frame; bytes are taken as the payload itself."""
    payload = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
    return LENGTH.pack(len(payload)) + payload


def parts_of(message: object, *, stream: str, part_chars: int) -> list[Message]:
    """The envelopes of a message's parts, as an extension makes them."""
    text = json.dumps(message, ensure_ascii=False)
    pieces = [text[start : start + part_chars] for start in range(0, len(text), part_chars)]
    return [
        {
            "jsonrpc": "2.0",
            "part": {"stream": stream, "seq": seq, "last": seq == len(pieces) - 1, "text": piece},
        }
        for seq, piece in enumerate(pieces)
    ]
