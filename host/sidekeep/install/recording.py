"""A conversation between browser and host, kept in a file and played to a host again: one line of JSON for each message.

What is compared is the kind of each answer, because ids, times and figures differ from host to host.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

from sidekeep.errors import InstallFailed
from sidekeep.install.start import REPLY_S, Message, NoReply, Side, Started


class Line(NamedTuple):
    """One message, and when it was sent, in milliseconds from the start."""

    at_ms: int
    side: Side
    message: Message


class Recorder(AbstractContextManager["Recorder"]):
    """Writes every message that it is told of. Raises InstallFailed where the file cannot be made."""

    def __init__(self, file: Path) -> None:
        self._began = time.monotonic()
        try:
            self._file: IO[str] = file.open("w", encoding="utf-8", newline="\n")
        except OSError as exc:
            raise InstallFailed(f"{file} could not be written: {exc.strerror}.") from exc

    def __call__(self, side: Side, message: Message) -> None:
        at_ms = round((time.monotonic() - self._began) * 1000)
        self._file.write(json.dumps({"at_ms": at_ms, "side": side, "message": message}) + "\n")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def read(file: Path) -> list[Line]:
    """The messages of a recording. Raises InstallFailed where it is none."""
    try:
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        return [Line(int(line["at_ms"]), line["side"], dict(line["message"])) for line in lines]
    except OSError as exc:
        raise InstallFailed(f"{file} could not be read: {exc.strerror}.") from exc
    except (ValueError, KeyError, TypeError) as exc:
        raise InstallFailed(f"{file} is no recording of `sidekeep smoke --record`.") from exc


class Played(NamedTuple):
    """One request of a recording, what it was answered with then and now, and how long that took now."""

    method: str
    then: str
    now: str
    ms: float


def play(lines: Sequence[Line], start: Callable[[], Started]) -> Iterator[Played]:
    """Send the browser's messages to a host again, each after the answer to the one before it."""
    answers = {_key(line.message): outcome(line.message) for line in lines if line.side == "host"}
    with start() as host:
        for line in lines:
            if line.side != "browser":
                continue
            began = time.monotonic()
            host.send(line.message)
            if "id" in line.message:
                now = _answer(host, line.message)
                ms = (time.monotonic() - began) * 1000
                yield Played(str(line.message.get("method")), answers.get(_key(line.message), "no answer"), now, ms)


def outcome(message: Message) -> str:
    """The kind of an answer: `error` and its kind, or the members of the result."""
    error = message.get("error")
    if isinstance(error, dict):
        data = error.get("data")
        return f"error {data.get('kind') if isinstance(data, dict) else error.get('code')}"
    result = message.get("result")
    return f"result {', '.join(sorted(result))}".strip() if isinstance(result, dict) else "result"


def _answer(host: Started, request: Message) -> str:
    deadline = time.monotonic() + REPLY_S
    try:
        while True:
            message = host.receive(deadline)
            if _key(message) == _key(request) and "method" not in message:
                return outcome(message)
    except NoReply as exc:
        return f"no answer ({exc.kind})"


def _key(message: Message) -> str:
    return json.dumps(message.get("id"))
