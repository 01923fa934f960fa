"""What one run of an import has to remember: what became of what, how far it is, and the way it writes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sidekeep.domain.scope import Scope
from sidekeep.service.clock import Clock
from sidekeep.service.import_chats import Outcome
from sidekeep.service.import_room import Room
from sidekeep.service.writing import Write, Writes
from sidekeep.transfer.conversation import Failure, KeyFound

# Called with bytes done, bytes in all, and how many conversations have been read.
Progress = Callable[[int, int, int], None]
Outcomes = Iterable[tuple[str, Outcome]]


@dataclass(slots=True)
class Report:
    """What became of an import (docs/protocol.md, IMPORT). Chats are counted once: `archived` are not among `added`."""

    sources: list[str] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    keys_found: list[KeyFound] = field(default_factory=list)

    def count(self, outcome: Outcome) -> int:
        return sum(each == outcome for each in self.outcomes.values())


class _Undone(Exception):
    """Raised to undo what a dry run has written."""


class Run:
    """One run over some files. In a dry run everything happens, and each transaction is undone."""

    def __init__(self, writes: Writes, clock: Clock, scope: Scope, *, is_dry: bool, progress: Progress) -> None:
        self.report = Report()
        self.room = Room(is_dry=is_dry)
        self.clock = clock
        self.scope = scope
        self._writes = writes
        self._is_dry = is_dry
        self._progress = progress
        self._done = 0
        self._total = 0
        self._conversations = 0

    def write(self, steps: Callable[[Write], Outcomes], scope: Scope | None = None) -> None:
        """One conversation: all of it or nothing."""
        try:
            with self._writes.begin(scope or self.scope) as write:
                found = list(steps(write))
                if self._is_dry:
                    raise _Undone
        except _Undone:
            pass
        for fingerprint, outcome in found:
            self._note(fingerprint, outcome)
        self.conversation()

    def fail(self, where: str, reason: str) -> None:
        self.report.failed.append(Failure(where, reason))

    def begin(self, total_bytes: int) -> None:
        """Some files are about to be read, of that many bytes together; each is read twice at least."""
        self._total += total_bytes
        self._done = 2 * (self._total - total_bytes)

    def read(self, count: int) -> None:
        """Bytes of them were read."""
        self._done += count

    def conversation(self) -> None:
        """A conversation is done."""
        self._conversations += 1
        self._progress(min(self._done // 2, self._total), self._total, self._conversations)

    def end(self) -> None:
        self._progress(self._total, self._total, self._conversations)

    def _note(self, fingerprint: str, outcome: Outcome) -> None:
        """What became of a chat last counts, but a chat that this run added is not unchanged when the run meets it again."""
        if outcome != "unchanged" or fingerprint not in self.report.outcomes:
            self.report.outcomes[fingerprint] = outcome
