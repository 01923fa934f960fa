"""`bench`: figures beside their peers. A bench is a module with `measure(runs) -> Table`, named in BENCHES."""

import json
from pathlib import Path

from tasks import venv
from tasks.bench import build, cold_start, frozen_start, panel, search
from tasks.bench.figures import machine, show
from tasks.say import say

BENCHES = {"build": build.measure, "cold_start": cold_start.measure, "panel": panel.measure, "search": search.measure}
# Only where it is asked for by name: what it measures takes minutes to build.
ASKED_FOR = {"frozen_start": frozen_start.measure}
NAMES = (*BENCHES, *ASKED_FOR)


def bench(only: str | None, *, runs: int, target: Path | None) -> None:
    """Run one bench or all of them, print their tables, write them as JSON if asked. Raises TaskError."""
    say("Setting up:")
    venv.ensure()
    about = machine()
    print(
        f"Machine: {about['cpu']}, {about['cores']} cores, load {about['load']}, {about['system']}, {about['python']}"
    )
    wanted = {only: (BENCHES | ASKED_FOR)[only]} if only is not None else BENCHES
    tables = [measure(runs) for measure in wanted.values()]
    for table in tables:
        print()
        print(show(table))
    if target is not None:
        report = {"machine": about, "tables": [table.to_json() for table in tables]}
        target.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
