"""What every fault is given and gives back."""

import time
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Wish:
    """How much of a fault is wanted. `size` is the count that the fault's own name for it has (kills, operations, inputs).

    It ends early after `minutes`, and says how far it came.
    """

    size: int
    seed: int
    minutes: float = 60.0
    started: float = field(default_factory=time.monotonic)

    @property
    def has_time(self) -> bool:
        return time.monotonic() - self.started < self.minutes * 60


@dataclass(slots=True)
class Outcome:
    """What a fault did (`counts`) and what it found. `skipped` says in words why nothing, or a part, could be done here."""

    name: str
    seed: int
    counts: dict[str, Any] = field(default_factory=dict)
    found: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        return not self.found

    def find(self, what: str) -> None:
        """Note a finding once; the same one again says nothing new."""
        if what not in self.found:
            self.found.append(what)

    def count(self, name: str, by: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + by

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "seed": self.seed,
            "holds": self.holds,
            "counts": self.counts,
            "found": self.found,
            "skipped": self.skipped,
            "seconds": round(self.seconds, 1),
        }
