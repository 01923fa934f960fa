"""Samples, their median and spread; tables of them, each figure beside its peer; and how they grow with the data."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Statistic = Literal["median", "p95"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured thing: samples in `unit`."""

    name: str
    samples: tuple[float, ...]
    unit: str = "ms"

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def p95(self) -> float:
        """The 95th percentile; of fewer than 20 samples the largest."""
        ordered = sorted(self.samples)
        return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]

    def by(self, statistic: Statistic) -> float:
        """The median, or the 95th percentile."""
        return self.median if statistic == "median" else self.p95

    def to_json(self) -> dict[str, Any]:
        """For `--json`: median, spread, and the samples themselves."""
        told = {"median": self.median, "min": min(self.samples), "p95": self.p95}
        return {
            "name": self.name,
            "unit": self.unit,
            **{name: round(value, 4) for name, value in told.items()},
            "samples": [round(sample, 4) for sample in self.samples],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """A row of the README: a figure beside its peer, both by name, and the ratio that it should not pass.

    Without a peer `at_most` is in the figure's own unit. Without `at_most` the figure is told and not judged.
    """

    figure: str
    peer: str | None = None
    at_most: float | None = None
    by: Statistic = "median"
    why_not: str = ""  # where the goal is not met: the limit that was measured

    def value(self, table: "Table") -> float:
        """The ratio to the peer, or the figure itself where it has none."""
        ours = table[self.figure].by(self.by)
        return ours if self.peer is None else ours / table[self.peer].by(self.by)

    def is_met(self, table: "Table") -> bool | None:
        """None where there is no goal."""
        return None if self.at_most is None else self.value(table) <= self.at_most


@dataclass(frozen=True, slots=True)
class Table:
    """What one bench measured in one run. Printed ratios are to `peer`; `skipped` tells what could not be measured, and why."""

    name: str
    work: str
    peer: Figure
    figures: tuple[Figure, ...]
    comparisons: tuple[Comparison, ...]
    skipped: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Figure:
        return next(figure for figure in (self.peer, *self.figures) if figure.name == name)

    def ratio(self, figure: Figure) -> float:
        """How many times the peer's median a figure's median is."""
        return figure.median / self.peer.median

    def to_json(self) -> dict[str, Any]:
        """As docs/bench keeps it."""
        return {
            "name": self.name,
            "work": self.work,
            "peer": self.peer.to_json(),
            "figures": [{**figure.to_json(), "ratio": round(self.ratio(figure), 4)} for figure in self.figures],
            "comparisons": [
                {**asdict(one), "value": round(one.value(self), 5), "met": one.is_met(self)} for one in self.comparisons
            ],
            "skipped": list(self.skipped),
        }


@dataclass(frozen=True, slots=True)
class Line:
    """One work at every size of a growth."""

    name: str
    figures: tuple[Figure, ...]

    @property
    def times(self) -> float:
        """How many times the first size's median the last one's is."""
        return self.figures[-1].median / self.figures[0].median


@dataclass(frozen=True, slots=True)
class Growth:
    """Works against 1x, 10x and 100x the data: `sizes` amounts of `axis`, and for every work a figure a size."""

    name: str
    work: str
    axis: str
    sizes: tuple[int, ...]
    lines: tuple[Line, ...]

    def to_json(self) -> dict[str, Any]:
        """As docs/bench keeps it."""
        lines = [{"name": line.name, "figures": [one.to_json() for one in line.figures]} for line in self.lines]
        return {"name": self.name, "work": self.work, "axis": self.axis, "sizes": list(self.sizes), "lines": lines}


Measured = Table | Growth
Measure = Callable[[int], Measured]


def grown(
    name: str, *, work: str, axis: str, sizes: Sequence[int], samples: Sequence[Mapping[str, tuple[float, ...]]]
) -> Growth:
    """A growth out of what `interleaved` gave at each size, in ms."""
    lines = tuple(Line(each, tuple(Figure(each, taken[each]) for taken in samples)) for each in samples[0])
    return Growth(name, work, axis, tuple(sizes), lines)


def interleaved(works: Mapping[str, Callable[[], Mapping[str, float]]], runs: int) -> dict[str, tuple[float, ...]]:
    """Run several works in turn, `runs` times after one unmeasured round; the samples by name.

    In turn, so that a change of the machine's load meets all of them alike.
    """
    samples: dict[str, list[float]] = {}
    for round_number in range(runs + 1):
        for work in works.values():
            for name, value in work().items():
                if round_number:
                    samples.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in samples.items()}


def ms_since(started: float) -> float:
    """Milliseconds since a reading of `time.perf_counter`."""
    return (time.perf_counter() - started) * 1000
