"""`bench`: figures beside their peers. A bench is a module with `measure(runs) -> Table | Growth`, named in BENCHES."""

from collections.abc import Mapping
from pathlib import Path

from tasks import venv
from tasks.bench import (
    append,
    browser_search,
    build,
    cold_start,
    cold_write,
    frozen_start,
    growth,
    light_get,
    load_full,
    memory,
    open_panel,
    panel,
    peers,
    readme,
    record,
    round_trip,
    search,
    snapshots_disk,
    stream,
)
from tasks.bench.figures import Measure, Measured
from tasks.bench.machine import load, machine
from tasks.bench.words import show
from tasks.say import TaskError, say

# In the order in which they run, and in which the README tells of them.
BENCHES: Mapping[str, Measure] = {
    "append": append.measure,
    "area_append": append.measure_area,
    "cold_write": cold_write.measure,
    "light_get": light_get.measure,
    "open_panel": open_panel.measure,
    "load_full": load_full.measure,
    "snapshots_disk": snapshots_disk.measure,
    "browser_search": browser_search.measure,
    "round_trip": round_trip.measure,
    "stream": stream.measure,
    "cold_start": cold_start.measure,
    "panel": panel.measure,
    "search": search.measure,
    "build": build.measure,
    "memory": memory.measure,
    "growth": growth.measure,
}
# Only where it is asked for by name: what it measures takes minutes to build.
ASKED_FOR: Mapping[str, Measure] = {"frozen_start": frozen_start.measure}
NAMES = (*BENCHES, *ASKED_FOR)


def tell() -> None:
    """Write the README's table and the charts from the newest figures that are kept."""
    readme.write()


def bench(only: str | None, *, runs: int, target: Path | None, with_peers: bool = False) -> None:
    """Run one bench or all of them, print their figures, take them into a JSON file if asked. Raises TaskError.

    One that fails does not take the others' figures with it; it is told at the end.
    """
    say("Setting up:")
    venv.ensure()
    if with_peers:
        peers.ensure()
    print(f"Machine: {machine()}. Load: {load()}.")
    failures = [
        f"{name}: {failure}"
        for name in ([only] if only is not None else BENCHES)
        if (failure := _run(name, runs=runs, target=target))
    ]
    if failures:
        raise TaskError(f"Not measured: {'; '.join(failures)}")


def _run(name: str, *, runs: int, target: Path | None) -> str:
    """Run one bench. Returns why it failed, if it did."""
    try:
        measured: Measured = {**BENCHES, **ASKED_FOR}[name](runs)
    except TaskError as exc:
        return str(exc)
    print(f"\n{show(measured)}", flush=True)
    if target is not None:
        record.put(target, record.Record.now(measured), order=NAMES)
    return ""
