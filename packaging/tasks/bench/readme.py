"""`bench --readme`: the README's table and the charts, out of docs/bench/figures.json and nothing else."""

import re
from collections.abc import Mapping
from pathlib import Path

from tasks.bench import record
from tasks.bench.chart import chart
from tasks.bench.figures import Comparison, Figure, Growth, Table
from tasks.bench.record import Record
from tasks.bench.words import amount, goal, spread, value
from tasks.places import ROOT

README = ROOT / "README.md"
BEGIN, END = "<!-- bench: written by `python3 build.py bench --readme` -->", "<!-- /bench -->"
MARKED = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
HEAD = "| what | Sidekeep | beside | there | ratio | goal | | measured by `python3 build.py` |\n|---|---|---|---|---|---|---|---|"
MARKS = {True: "met", False: "**not met**", None: ""}


def write() -> None:
    """Draw the charts and write the table into README.md."""
    for path, text in charts(record.read(record.NEWEST)).items():
        path.write_text(text, encoding="utf-8")
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")


def with_table(readme: str) -> str:
    """The README with the newest figures between its markers."""
    told = told_in_readme(record.read(record.NEWEST))
    return MARKED.sub(lambda _: f"{BEGIN}\n{told}\n{END}", readme)


def charts(records: Mapping[str, Record]) -> dict[Path, str]:
    """Every growth's chart, by its place in docs/bench."""
    growths = [each.measured for each in records.values() if isinstance(each.measured, Growth)]
    return {record.FOLDER / f"{growth.name}.svg": chart(growth) for growth in growths}


def told_in_readme(records: Mapping[str, Record]) -> str:
    """The machine, a row for every comparison, why goals are not met, what was skipped, and the charts."""
    tables = [each.measured for each in records.values() if isinstance(each.measured, Table)]
    rows = [_row(one, table) for table in tables for one in table.comparisons]
    notes = [f"- {note}" for table in tables for note in _notes(table)]
    pictures = [
        f"![{each.measured.work}](docs/bench/{each.measured.name}.svg)"
        for each in records.values()
        if isinstance(each.measured, Growth)
    ]
    blocks = (_measured_on(records), "\n".join([HEAD, *rows]), "\n".join(notes), *pictures)
    return "\n\n".join(block for block in blocks if block)


def _measured_on(records: Mapping[str, Record]) -> str:
    days = sorted({each.measured_on for each in records.values()})
    machines = sorted({each.machine for each in records.values()})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return (
        "Medians, and in brackets the least and the 95th percentile, of runs that took turns with those of what they are"
        f" compared with. Measured {when} on: {'; '.join(machines)}."
    )


def _row(comparison: Comparison, table: Table) -> str:
    peer = comparison.peer
    cells = (
        f"{comparison.figure}{' (p95)' if comparison.by == 'p95' else ''}",
        _told(table[comparison.figure]),
        peer or "",
        _told(table[peer]) if peer else "",
        value(comparison, table) if peer else "",
        goal(comparison, table),
        MARKS[comparison.is_met(table)],
        f"`bench --only {table.name}`",
    )
    return f"| {' | '.join(cells)} |"


def _told(figure: Figure) -> str:
    return f"{amount(figure)} ({spread(figure)})"


def _notes(table: Table) -> list[str]:
    unmet = [one for one in table.comparisons if one.is_met(table) is False and one.why_not]
    return [f"{one.figure}: {one.why_not}" for one in unmet] + [f"Skipped: {reason}" for reason in table.skipped]
