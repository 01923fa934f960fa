"""`bench`: samples become medians beside their peer's."""

import json
from pathlib import Path

import pytest

from tasks.bench import NAMES, bench, frozen_start, search
from tasks.bench.cold_start import GET_ALL, HELLO, PEER
from tasks.bench.figures import Figure, Table, interleaved, show
from tasks.places import HOST_PROGRAM
from tasks.say import TaskError


def test_a_ratio_is_of_medians_so_that_one_slow_run_counts_little() -> None:
    table = Table("x", Figure("peer", (1.0, 1.0, 90.0)), (Figure("ours", (2.0, 2.0, 2.0)),), goal="none")
    assert table.ratio(table.figures[0]) == 2.0
    assert "2.00x" in show(table)


def test_the_95th_percentile_of_few_samples_is_the_largest() -> None:
    assert Figure("x", tuple(float(number) for number in range(15))).p95 == 14.0
    assert Figure("x", tuple(float(number) for number in range(100))).p95 == 95.0


def test_works_take_turns_and_the_first_round_does_not_count() -> None:
    order: list[str] = []

    def work(name: str) -> dict[str, float]:
        order.append(name)
        return {name: float(len(order))}

    samples = interleaved({"a": lambda: work("a"), "b": lambda: work("b")}, runs=2)
    assert order == ["a", "b", "a", "b", "a", "b"]
    assert samples == {"a": (3.0, 5.0), "b": (4.0, 6.0)}


def test_cold_start_is_measured_beside_pythons_own_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cold_start" in NAMES
    bench("cold_start", runs=15, target=tmp_path / "figures.json")
    (table,) = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["tables"]
    assert table["peer"]["name"] == PEER
    assert [figure["name"] for figure in table["figures"]] == [HELLO, GET_ALL]
    assert all(len(figure["samples"]) == 15 for figure in [table["peer"], *table["figures"]])
    # Nothing is measured against a limit here; a start that took no time at all would be a measuring error.
    assert table["figures"][0]["ratio"] > 1
    assert HELLO in capsys.readouterr().out


def test_the_frozen_start_is_measured_beside_the_unfrozen_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen_start, "PROGRAM", HOST_PROGRAM)
    table = frozen_start.measure(1)
    assert (table.peer.name, table.figures[0].name) == (frozen_start.PEER, frozen_start.OURS)
    monkeypatch.setattr(frozen_start, "PROGRAM", HOST_PROGRAM.with_name("none"))
    with pytest.raises(TaskError, match="--only-host"):
        frozen_start.measure(1)


def test_a_search_is_measured_beside_reading_every_chat() -> None:
    table = search.measure(1, chats=3, messages=4)
    assert table.peer.name == search.PEER
    assert {"one letter", "two Chinese characters", "10,000 characters"} <= {figure.name for figure in table.figures}
