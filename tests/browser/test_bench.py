"""The bench's measures in the browser, with little data: each measures what it says, and neither side fails."""

from collections.abc import Mapping
from functools import partial

import pytest

from tasks.bench import (
    append,
    browser_search,
    cold_write,
    light_get,
    load_full,
    open_panel,
    round_trip,
    snapshots_disk,
    stream,
)
from tasks.bench.figures import Measure, Table

SMALL = {"messages": 6, "pictures": 1}
MEASURES: Mapping[str, Measure] = {
    "append": partial(append.measure, **SMALL),
    "area_append": partial(append.measure_area, **SMALL),
    "browser_search": partial(browser_search.measure, chats=2),
    "cold_write": partial(cold_write.measure, chats=2),
    "light_get": partial(light_get.measure, chats=2),
    "load_full": partial(load_full.measure, **SMALL),
    "open_panel": partial(open_panel.measure, **SMALL),
    "round_trip": round_trip.measure,
    "snapshots_disk": partial(snapshots_disk.measure, snapshots=2, **SMALL),
    "stream": partial(stream.measure, deltas=20),
}


@pytest.mark.parametrize("name", MEASURES)
def test_a_bench_measures_both_sides(name: str) -> None:
    measured = MEASURES[name](1)
    assert isinstance(measured, Table)
    assert measured.name == name
    assert all(sample > 0 for figure in (measured.peer, *measured.figures) for sample in figure.samples)
    # What is judged is there to be judged; what the ratio is depends on the machine and is no matter of a test.
    assert all(one.value(measured) > 0 for one in measured.comparisons)
