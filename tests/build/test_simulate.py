"""`simulate`: a store is built and measured whole, and figures are read as flat, linear or worse."""

import json
from pathlib import Path

import pytest

from tasks.say import TaskError
from tasks.simulate import simulate
from tasks.simulate.growth import Measured, power, projected, show, word

TENTHS: dict[float, Measured] = {
    0.01: {"same": 5.0, "store": 10.0, "square": 1.0},
    0.1: {"same": 5.5, "store": 90.0, "square": 100.0},
}


@pytest.mark.parametrize(("name", "said"), [("same", "flat"), ("store", "linear"), ("square", "more than linear")])
def test_a_figure_is_read_by_the_power_it_grows_with(name: str, said: str) -> None:
    assert word(power(TENTHS, name)) == said


def test_the_whole_is_on_the_line_through_two_shares() -> None:
    assert projected(TENTHS, "store") == pytest.approx(890.0)
    assert "100% projected" in show(TENTHS)


def test_one_share_alone_says_nothing_of_growth() -> None:
    alone = {1.0: TENTHS[0.1]}
    assert (power(alone, "same"), projected(alone, "same")) == (None, None)
    assert "projected" not in show(alone)


def test_a_small_share_is_built_and_every_figure_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "figures.json"
    simulate((0.0001,), pictures=True, folder=tmp_path, runs=1, target=target)
    figures = {figure["name"]: figure["at"]["0.0001"] for figure in json.loads(target.read_text("utf-8"))["figures"]}
    shown = capsys.readouterr().out
    assert figures["chats"] >= 2
    assert figures["store"] > 1, "MB, of which the pictures are most"
    assert {
        "append a message",
        "search, p95",
        "backup, processor",
        "check, memory",
        "index anew, time",
    } <= figures.keys()
    assert all(value > 0 for value in figures.values())
    assert "append a message (ms)" in shown
    assert list(tmp_path.iterdir()) == [target], "nothing is left of the store"


def test_where_there_is_no_room_nothing_is_built(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="are needed"):
        simulate((10_000.0,), pictures=True, folder=tmp_path, runs=1)
