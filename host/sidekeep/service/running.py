"""A turn under way, and what it tells."""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

from sidekeep.domain.providers import Provider
from sidekeep.domain.scope import Scope
from sidekeep.errors import SidekeepError
from sidekeep.llm.types import UsageReport
from sidekeep.request.attempt import Attempt
from sidekeep.request.build import Report
from sidekeep.request.prices import Cost, cost
from sidekeep.request.view import Entry
from sidekeep.service.turn_store import Asked
from sidekeep.store.locks import HeldLock


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The question is in the store."""

    turn: str
    user: orjson.Fragment
    report: Report


@dataclass(frozen=True, slots=True)
class TurnDelta:
    """A piece of the answer, or of the model's reasoning; `offset` in code points from its beginning."""

    turn: str
    offset: int
    text: str
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class TurnStatus:
    """The turn goes another way than was told; reasoning that was shown begins anew. `detail` is for the panel's line."""

    turn: str
    kind: Literal["rescued", "retrying", "continued", "waiting"]
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TurnDone:
    """The answer is in the store."""

    turn: str
    message: orjson.Fragment
    usage: UsageReport | None
    cost: Cost | None = None
    rescued: bool = False


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """There is no whole answer. What had come of it is in the store, marked interrupted: `message`."""

    turn: str
    error: SidekeepError
    message: orjson.Fragment | None


TurnEvent = TurnStarted | TurnDelta | TurnStatus | TurnDone | TurnFailed
Emit = Callable[[TurnEvent], None]


class Answered(NamedTuple):
    """A request of a turn that was answered to its end, what the server says it took, and how long the answer was then."""

    attempt: Attempt
    usage: UsageReport | None
    characters: int


class GrowingText:
    """A text that comes in pieces. `+=` on a string copies all of it each time: 15 MB in small pieces took a minute, and no
    other turn was served meanwhile."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._chars = 0

    def add(self, piece: str) -> int:
        """Append; returns the offset at which the piece stands, in code points."""
        offset = self._chars
        self._pieces.append(piece)
        self._chars += len(piece)
        return offset

    def __str__(self) -> str:
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


@dataclass(slots=True)
class RunningTurn:
    """A turn under way, as `turn.peek` tells of it.

    `report` is that of its last request. `shortened` has what storage keeps of attachments once the turn has succeeded; empty
    where no rescue shortened any. `read_in_part`: the server cut a request without a word. `is_over`: the answer is being
    written, or there is none.
    """

    turn: str
    scope: Scope
    provider: Provider
    asked: Asked
    started_at_ms: int
    locks: list[HeldLock]
    emit: Emit
    answer: GrowingText = field(default_factory=GrowingText, repr=False)
    thoughts: GrowingText = field(default_factory=GrowingText, repr=False)
    usage: UsageReport | None = None
    report: Report | None = None
    cost: Cost | None = None
    answered: list[Answered] = field(default_factory=list, repr=False)
    rescued: bool = False
    read_in_part: bool = False
    shortened: Mapping[str, Entry] = field(default_factory=dict, repr=False)
    answer_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    is_over: bool = False
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The answer so far."""
        return str(self.answer)

    @property
    def reasoning(self) -> str:
        """The model's reasoning so far."""
        return str(self.thoughts)

    def add_text(self, piece: str) -> None:
        self.emit(TurnDelta(self.turn, self.answer.add(piece), piece))

    def add_thought(self, piece: str) -> None:
        self.emit(TurnDelta(self.turn, self.thoughts.add(piece), piece, reasoning=True))

    def add_usage(self, usage: UsageReport) -> None:
        """What a request of this turn has taken, beside those before it."""
        before = self.usage
        self.usage = usage if before is None else before.plus(usage)
        paid = cost(usage, self.provider)
        self.cost = paid if self.cost is None or paid is None else self.cost.plus(paid)

    def goes_on(self, kind: Literal["rescued", "retrying", "continued"], **detail: Any) -> None:
        """Tell that another request leaves. What was thought for the one before is void."""
        self.thoughts = GrowingText()
        self.emit(TurnStatus(self.turn, kind, detail))
