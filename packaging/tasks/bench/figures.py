"""Samples, their median and spread, the table that shows them beside their peer, and the machine they are from."""

import os
import platform
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured thing: samples in `unit`, and the samples of what it is compared with."""

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


@dataclass(frozen=True, slots=True)
class Table:
    """A bench's figures; each ratio is to the peer's median. `goal` is the ratio of the first figure to reach."""

    name: str
    peer: Figure
    figures: tuple[Figure, ...]
    goal: str

    def ratio(self, figure: Figure) -> float:
        """How many times the peer's median a figure's median is."""
        return figure.median / self.peer.median

    def to_json(self) -> dict[str, Any]:
        """For `--json`: medians, spread, ratios and the samples themselves."""

        def one(figure: Figure) -> dict[str, Any]:
            return {
                "name": figure.name,
                "unit": figure.unit,
                "median": round(figure.median, 3),
                "min": round(min(figure.samples), 3),
                "p95": round(figure.p95, 3),
                "ratio": round(self.ratio(figure), 3),
                "samples": [round(sample, 3) for sample in figure.samples],
            }

        figures = [one(figure) for figure in self.figures]
        return {"name": self.name, "goal": self.goal, "peer": one(self.peer), "figures": figures}


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


def show(table: Table) -> str:
    """The table as text."""
    lines = [f"{table.name} (goal: {table.goal})"]
    lines.append(f"  {'':<28}{'median':>10}{'min':>10}{'p95':>10}   ratio")
    for figure in (table.peer, *table.figures):
        cells = "".join(f"{value:>10.1f}" for value in (figure.median, min(figure.samples), figure.p95))
        lines.append(
            f"  {figure.name:<28}{cells}   {table.ratio(figure):.2f}x  {figure.unit}, {len(figure.samples)} runs"
        )
    return "\n".join(lines)


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "cpu": _cpu(),
        "cores": str(os.cpu_count()),
        "load": load,
        "system": platform.platform(),
        "python": f"Python {platform.python_version()}",
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
