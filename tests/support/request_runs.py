"""The operations of the shared request cases, run by the request side itself (grammar: ../shared/cases/README.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from sidekeep.domain import pixels
from sidekeep.domain.message import MessageId, StoredMessage
from sidekeep.domain.providers import Provider
from sidekeep.errors import RequestRefused
from sidekeep.request.age import aged
from sidekeep.request.build import Conversation, Report, Request, RequestSettings, Turn, build
from sidekeep.request.dialect.table import WRITERS
from sidekeep.request.fit import NOTHING, WHOLE, Cut, fit, fit_sticky
from sidekeep.request.limits import Size
from sidekeep.request.pairs import paired
from sidekeep.request.pictures import PictureLimits, pictured
from sidekeep.request.view import Entry, Image, view
from sidekeep.rpc import envelope

SERVER = Provider("test", "openai-chat", "http://127.0.0.1:9/v1", "tiny", window=10_000_000)
MANY_BYTES = 1 << 40

History = list[dict[str, Any]]
Counter = Callable[[Entry], Size]


def received(value: Any) -> Any:
    """A value as it comes off the wire: half characters are U+FFFD there."""
    import json

    return envelope.decode(json.dumps(value).encode())


def entries_of(history: History) -> tuple[Entry, ...]:
    """The history as rows of the store would show it; the N-th message is `mN`, and what has no attachId was imported."""
    stored: list[StoredMessage] = []
    known: dict[bytes, Image] = {}
    for index, message in enumerate(received(history)):
        lifted = pixels.lift(message)
        known |= {p.sha256: Image(p.sha256, width=800, height=600, size=len(p.data)) for p in lifted.pictures}
        stored.append(
            StoredMessage(
                message_pk=index,
                message_id=MessageId(f"m{index}"),
                role=message["role"],
                created_at_ms=0,
                attach_id=message.get("attachId"),
                size=0,
                area_bytes=0,
                body=lifted.body,
                cuts=lifted.cuts,
            )
        )
    return view(stored, known)


def index_of(entry: Entry) -> int:
    return int(entry.message_id[1:])


def counter(name: str) -> Counter:
    """The counters of the cases: a fixed number a message, or characters."""
    kind, _, number = name.partition(":")
    if kind == "per_message":
        return lambda _entry: Size(int(number), 0)
    part = {"chars": 1, "chars/4": 4}[name]
    return lambda entry: Size(-(-entry.characters // part), 0)


@dataclass(frozen=True)
class Run:
    """What a request was made of, and what came of it; `entries` None: refused for `error`."""

    given: tuple[Entry, ...]
    entries: list[Entry] | None
    error: str = ""
    cut: Cut = WHOLE

    @property
    def sent(self) -> list[Entry]:
        assert self.entries is not None, f"refused: {self.error}"
        return self.entries

    @property
    def messages(self) -> list[dict[str, Any]]:
        """As a server reads them."""
        found: list[dict[str, Any]] = written(self.sent)["messages"]
        return found

    def whole(self) -> list[int]:
        """Which of the given messages go out as they are."""
        given = {entry.message_id: entry for entry in self.given}
        return [index_of(entry) for entry in self.sent if plain(entry) == plain(given[entry.message_id])]


def plain(entry: Entry) -> tuple[Any, ...]:
    return entry.message_id, entry.parts, entry.tool_calls


def written(entries: Sequence[Entry], *, alternate: bool | None = None) -> dict[str, Any]:
    request = Request(model="tiny", system="", entries=tuple(entries), alternate=alternate)
    urls = {part: b"data:image/png;base64,iVBORw==" for e in entries for part in e.parts if isinstance(part, Image)}
    body: dict[str, Any] = orjson.loads(WRITERS["openai-chat"](request, urls))
    return body


def prepared(given: Sequence[Entry], *, max_images: int | None = None, max_bytes: int | None = None) -> list[Entry]:
    """The steps before the fit, but ageing: roles, pairs, pictures."""
    roles = {"developer": "system"}
    said = [
        replace(entry, role=roles.get(entry.role, entry.role)) for entry in given if entry.parts or entry.tool_calls
    ]
    return pictured(paired(said), PictureLimits(max_images, MANY_BYTES, max_bytes))


def run_fit(history: History, params: dict[str, Any], *, last: Cut | None = None) -> Run:
    """`fit` as the case asks; sticky where `last` is given."""
    given = entries_of([*history, *params.get("pending", [])])
    measure = counter(params["counter"])
    try:
        shown = prepared(given, max_images=params.get("max_images"))
        limit = Size(params["budget"], MANY_BYTES)
        fitted = fit(shown, measure, limit) if last is None else fit_sticky(shown, measure, limit, NOTHING, last)
    except RequestRefused as refused:
        return Run(given, None, refused.reason)
    return Run(given, fitted.entries, cut=fitted.cut)


def run_age(history: History, params: dict[str, Any]) -> Run:
    given = entries_of(history)
    return Run(given, aged(given, min_entries=params["min_turns"], min_characters=params["min_chars"]))


def run_build(
    history: History, settings: RequestSettings | None = None, turn: Turn | None = None
) -> tuple[Request, Report]:
    """The whole way, with a window that holds everything."""
    conversation = Conversation(entries_of(history))
    return build(conversation, turn or Turn(), SERVER, settings or RequestSettings())


def pairs_are_whole(entries: Sequence[Entry]) -> bool:
    """Each result behind the message that called for it, each call with one result."""
    open_calls: list[str] = []
    for entry in entries:
        if entry.role == "tool":
            if entry.tool_call_id not in open_calls:
                return False
            open_calls.remove(entry.tool_call_id)
        elif open_calls:
            return False
        open_calls += [call.id for call in entry.tool_calls]
    return not open_calls
