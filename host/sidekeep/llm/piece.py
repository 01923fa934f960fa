"""What one message of an answer says, whichever API it came through, and who reads it out of the JSON."""

from dataclasses import dataclass
from typing import Any, Protocol

from sidekeep.llm.types import UsageReport


@dataclass(frozen=True, slots=True)
class Piece:
    """One event of a stream, or a whole answer.

    `stop` is the server's own word for why it stopped. `error` is the error it tells of, as it stood there. `last` says
    that nothing comes after it; in some APIs only the end of the body says so.
    """

    text: str = ""
    reasoning: str = ""
    usage: UsageReport | None = None
    stop: str = ""
    error: Any = None
    last: bool = False


class Reader(Protocol):
    """Reads the JSON of one API; one object an answer, because usage and state come spread over several events."""

    lines: bool
    """One document a line (NDJSON), not server-sent events."""

    think_tags: bool
    """Whether servers of this API may leave reasoning in the text, between think tags."""

    def read(self, value: dict[str, Any]) -> Piece:
        """One event. Unknown ones, such as pings, are an empty piece."""
        ...

    def whole(self, value: dict[str, Any]) -> Piece | None:
        """An answer that came as one document although a stream was asked for; None where it is none."""
        ...


def error_of(value: dict[str, Any]) -> Any:
    """The error that an event or a 200 carries: an object, or LM Studio's bare string. None where there is none."""
    if value.get("error"):
        return value["error"]
    named = value.get("error_message") or "error" in (value.get("object"), value.get("type"))
    return value if named else None
