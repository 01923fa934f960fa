"""Figures as JSON: `--json FILE` takes a run's figures into that file, beside those of other benches that are there.

The file is a list in which every bench stands once, with the day and the machine that its newest figures are from:
`[{"name", "measured_on", "machine", "load", "runs", "table": {…} | "growth": {…}}]`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tasks.bench.figures import Comparison, Figure, Growth, Line, Measured, Table
from tasks.bench.machine import load, machine
from tasks.places import ROOT

FOLDER = ROOT / "docs" / "bench"
NEWEST = FOLDER / "figures.json"


@dataclass(frozen=True, slots=True)
class Record:
    """One bench's newest figures, and where and when they were measured."""

    measured_on: str
    machine: str
    load: float
    measured: Measured

    @classmethod
    def now(cls, measured: Measured) -> "Record":
        return cls(datetime.now(UTC).strftime("%Y-%m-%d"), machine(), load(), measured)


def read(file: Path) -> dict[str, Record]:
    """The records of a file by their benches' names; none where there is no file."""
    if not file.exists():
        return {}
    return {each["name"]: _record(each) for each in json.loads(file.read_text(encoding="utf-8"))}


def put(file: Path, record: Record, *, order: Sequence[str]) -> None:
    """Take a record into a file, in the place of an older one of its bench. Benches stand in `order`."""
    known = {**read(file), record.measured.name: record}
    names = sorted(known, key=lambda name: order.index(name) if name in order else len(order))
    text = json.dumps([_to_json(known[name]) for name in names], indent=1, ensure_ascii=False)
    numbers_in_one_line = re.sub(r"\[\s+([-\d.,\s]+)\]", lambda found: f"[{' '.join(found[1].split())}]", text)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(numbers_in_one_line + "\n", encoding="utf-8")


def _to_json(record: Record) -> dict[str, Any]:
    kind = "growth" if isinstance(record.measured, Growth) else "table"
    about = {"measured_on": record.measured_on, "machine": record.machine, "load": record.load}
    return {"name": record.measured.name, **about, kind: record.measured.to_json()}


def _record(found: Mapping[str, Any]) -> Record:
    measured = _growth(found["growth"]) if "growth" in found else _table(found["table"])
    return Record(found["measured_on"], found["machine"], found["load"], measured)


def _table(found: Mapping[str, Any]) -> Table:
    return Table(
        found["name"],
        found["work"],
        _figure(found["peer"]),
        tuple(map(_figure, found["figures"])),
        tuple(map(_comparison, found["comparisons"])),
        tuple(found["skipped"]),
    )


def _growth(found: Mapping[str, Any]) -> Growth:
    lines = tuple(Line(line["name"], tuple(map(_figure, line["figures"]))) for line in found["lines"])
    return Growth(found["name"], found["work"], found["axis"], tuple(found["sizes"]), lines)


def _figure(found: Mapping[str, Any]) -> Figure:
    return Figure(found["name"], tuple(found["samples"]), found["unit"])


def _comparison(found: Mapping[str, Any]) -> Comparison:
    return Comparison(found["figure"], found["peer"], found["at_most"], found["by"], found["why_not"])
