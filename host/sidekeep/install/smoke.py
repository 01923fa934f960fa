"""The manual host test: a short conversation over the real pipes that leaves nothing behind, each step timed."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sidekeep import __version__
from sidekeep.install.start import Message, NoReply, Started
from sidekeep.protocol import PROTOCOL_VERSION

# Over the size from which a reply travels in parts.
LARGE_CHARS = 1_000_000
PINGS = 20


class Step(NamedTuple):
    """One step, how long it took, and "" or what went wrong."""

    what: str
    ms: float
    wrong: str = ""


def steps(start: Callable[[], Started]) -> Iterator[Step]:
    """Start a host, speak with it as a private window would, so that the store stays as it is, and let it go."""
    began = time.monotonic()
    with start() as host:
        yield _asked(host, "started, and greeted as a private window", "hello", began=began, params=_hello())
        yield _asked(host, "asked how it is", "status")
        yield _asked(
            host, f"sent {LARGE_CHARS / 1e6:g} MB", "storage.set", params={"items": {"smoke": "ż" * LARGE_CHARS}}
        )
        yield _asked(host, "had it back, in parts", "storage.get", params={"keys": "smoke"}, check=_is_whole)
        yield _asked(
            host, "wrote a message", "history.append", params={"message": {"role": "user", "content": "smoke"}}
        )
        yield _asked(host, "read the conversation", "history.get", params={"pixels": "none"})
        yield _asked(host, "asked for what is not there", "no.such", check=_is_refused)
        began = time.monotonic()
        for _ in range(PINGS):
            host.request("ping")
        yield Step(f"answered {PINGS} pings, each in", (time.monotonic() - began) * 1000 / PINGS)
        ended = host.end()
    wrong = "" if ended.status == 0 else f"it left with status {ended.status}"
    yield Step("left after its input had ended", ended.seconds * 1000, wrong)


def _hello() -> dict[str, Any]:
    return {"client": "smoke", "version": __version__, "protocol": PROTOCOL_VERSION, "incognito": True}


def _asked(
    host: Started,
    what: str,
    method: str,
    *,
    params: dict[str, Any] | None = None,
    check: Callable[[Message], str] | None = None,
    began: float | None = None,
) -> Step:
    began = time.monotonic() if began is None else began
    try:
        reply = host.request(method, **(params or {}))
        wrong = (check or _is_answered)(reply)
    except NoReply as exc:
        wrong = f"no answer ({exc.kind}); `sidekeep doctor` says more"
    return Step(what, (time.monotonic() - began) * 1000, wrong)


def _is_answered(reply: Message) -> str:
    return "" if "result" in reply else str(reply["error"].get("message", "refused"))


def _is_whole(reply: Message) -> str:
    if "result" not in reply:
        return _is_answered(reply)
    return "" if reply["result"]["items"].get("smoke") == "ż" * LARGE_CHARS else "it came back changed"


def _is_refused(reply: Message) -> str:
    return "" if reply.get("error", {}).get("code") == -32601 else "it was answered"
