"""What one run of an import has to remember: what became of what, how far it is, and the way it writes."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sidekeep.domain.scope import Scope
from sidekeep.service.clock import Clock
from sidekeep.service.import_chats import Outcome
from sidekeep.service.import_room import Room
from sidekeep.service.progress import Progress
from sidekeep.service.writing import Write, Writes
from sidekeep.transfer.conversation import Failure, KeyFound

# A report is read by people, and goes over the wire.
_TOLD_FAILURES = 1_000
_TOLD_KEYS = 1_000
Outcomes = Iterable[tuple[str, Outcome]]
# What one conversation writes.
Steps: TypeAlias = Callable[[Write], Outcomes]
# So many conversations, or bytes of them, are one transaction: to begin and end one costs 1 ms, as much as writing a
# conversation. Meanwhile nobody else writes: some hundredths of a second. The latest 64 transactions stay in the record of
# changes, all of which is looked through when a chat leaves: more of the small ones together would make that dearer.
TOGETHER = 16
TOGETHER_BYTES = 512 * 1024


@dataclass(slots=True)
class Report:
    """What became of an import (docs/protocol.md, IMPORT). Chats are counted once: `archived` are not among `added`."""

    sources: list[str] = field(default_factory=list)
    counts: Counter[Outcome] = field(default_factory=Counter)
    failed: list[Failure] = field(default_factory=list)
    keys_found: list[KeyFound] = field(default_factory=list)


class _Undone(Exception):
    """Raised to undo what a dry run has written."""


class Run:
    """One run over some files. In a dry run everything happens, and each transaction is undone.

    Conversations are read and made ready before they are written, so that what is wrong with one never undoes its neighbours.
    """

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
        self._fresh: set[str] = set()
        self._waiting: list[tuple[Steps, Scope]] = []
        self._waiting_bytes = 0

    def write(self, steps: Steps, scope: Scope | None = None, *, size: int = 0) -> None:
        """One conversation, of `size` bytes: all of it or nothing. It is written with its neighbours, at the latest by `end`."""
        self._waiting.append((steps, scope or self.scope))
        self._waiting_bytes += size
        if len(self._waiting) >= TOGETHER or self._waiting_bytes >= TOGETHER_BYTES:
            self.settle()

    def settle(self) -> None:
        """Write what waits, in one transaction."""
        if not self._waiting:
            return
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        written: list[list[tuple[str, Outcome]]] = []
        is_limited = False
        try:
            with self._writes.begin(self.scope) as write:
                is_limited = bool(write.limits.chats)
                for steps, scope in waiting:
                    with write.of_profile(scope) as its:
                        written.append(list(steps(its)))
                if self._is_dry:
                    raise _Undone
        except _Undone:
            pass
        for found in written:
            for fingerprint, outcome in found:
                self._note(fingerprint, outcome, is_limited=is_limited)
            self.conversation()

    def fail(self, where: str, reason: str) -> None:
        if len(self.report.failed) < _TOLD_FAILURES:
            self.report.failed.append(Failure(where, reason))
        elif len(self.report.failed) == _TOLD_FAILURES:
            self.report.failed.append(Failure("and more", f"More than {_TOLD_FAILURES:,} could not be read."))

    def keys(self, found: Sequence[KeyFound]) -> None:
        """Keys that lie in the files, and were not taken."""
        self.report.keys_found += found[: _TOLD_KEYS - len(self.report.keys_found)]

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
        self.settle()
        self._progress(self._total, self._total, self._conversations)

    def _note(self, fingerprint: str, outcome: Outcome, *, is_limited: bool) -> None:
        """A chat that this run added, and that had to leave for a younger one, counts as archived alone."""
        self.report.counts[outcome] += 1
        if outcome == "added" and is_limited:
            self._fresh.add(fingerprint)
        elif outcome == "archived" and fingerprint in self._fresh:
            self._fresh.remove(fingerprint)
            self.report.counts["added"] -= 1
