"""`bench`: figures beside their peers. A bench is a module with `measure(runs) -> Table`, named in BENCHES."""

import json
from pathlib import Path

from tasks import venv
from tasks.bench import build, cold_start, panel, search
from tasks.bench.figures import machine, show
from tasks.say import say

BENCHES = {"build": build.measure, "cold_start": cold_start.measure, "panel": panel.measure, "search": search.measure}
NAMES = tuple(BENCHES)


def bench(only: str | None, *, runs: int, target: Path | None) -> None:
    """Run one bench or all of them, print their tables, write them as JSON if asked. Raises TaskError."""
    say("Setting up:")
    venv.ensure()
    about = machine()
    print(
        f"Machine: {about['cpu']}, {about['cores']} cores, load {about['load']}, {about['system']}, {about['python']}"
    )
    tables = [measure(runs) for name, measure in BENCHES.items() if only in (None, name)]
    for table in tables:
        print()
        print(show(table))
    if target is not None:
        report = {"machine": about, "tables": [table.to_json() for table in tables]}
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
