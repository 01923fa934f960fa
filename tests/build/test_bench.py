"""`bench`: samples become medians beside their peer's."""

import json
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from tasks import bench as benches
from tasks import programs
from tasks.bench import NAMES, bench, build, chart, frozen_start, growth, memory, peers, readme, record, search
from tasks.bench.cold_start import GET_ALL, HELLO, PEER
from tasks.bench.conversations import chats, conversation
from tasks.bench.figures import Comparison, Figure, Growth, Line, Measured, Table, interleaved
from tasks.bench.words import show
from tasks.places import HOST_PROGRAM
from tasks.say import TaskError

TABLE = Table(
    "x",
    "some work",
    Figure("peer", (1.0, 1.0, 90.0)),
    (Figure("ours", (2.0, 2.0, 2.0)),),
    (Comparison("ours", "peer", at_most=1, why_not="a limit"),),
    ("a third: it is not there",),
)
GROWTH = Growth(
    "growth",
    "work & more",
    "messages",
    (10, 100),
    (
        Line("flat", (Figure("flat", (1.0,)), Figure("flat", (1.1,)))),
        Line("steep", (Figure("steep", (1.0,)), Figure("steep", (90.0,)))),
    ),
)


def test_a_ratio_is_of_medians_so_that_one_slow_run_counts_little() -> None:
    assert TABLE.ratio(TABLE.figures[0]) == 2.0
    assert "2.00x" in show(TABLE)


@pytest.mark.parametrize(
    ("comparison", "told"),
    [
        pytest.param(Comparison("ours", "peer", at_most=2), "met: ours / peer = 2.00x, goal at most 2.00x", id="met"),
        pytest.param(
            Comparison("ours", "peer", at_most=1 / 40), "NOT MET: ours / peer = 2.00x, goal at most 1/40", id="not met"
        ),
        pytest.param(Comparison("peer", at_most=50), "met: peer = 1.00 ms, goal at most 50.0 ms", id="in its own unit"),
        pytest.param(
            Comparison("peer", at_most=50, by="p95"), "NOT MET: peer (p95) = 90.0 ms, goal at most 50.0 ms", id="by p95"
        ),
        pytest.param(Comparison("ours", "peer"), "no goal: ours / peer = 2.00x", id="no goal"),
    ],
)
def test_each_comparison_says_whether_its_goal_is_met(comparison: Comparison, told: str) -> None:
    assert told in show(replace(TABLE, comparisons=(comparison,)))


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
    table = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))[0]["table"]
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


def test_figures_that_are_kept_are_read_back_and_a_newer_run_takes_their_place(tmp_path: Path) -> None:
    kept = tmp_path / "bench" / "figures.json"
    for measured in (GROWTH, TABLE, replace(TABLE, work="the newest")):
        record.put(kept, record.Record.now(measured), order=("x", "growth"))
    found = record.read(kept)
    assert [(name, each.measured) for name, each in found.items()] == [
        ("x", replace(TABLE, work="the newest")),
        ("growth", GROWTH),
    ]


def test_a_bench_that_fails_is_told_and_the_others_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: int) -> Measured:
        raise TaskError("no browser")

    monkeypatch.setattr(benches, "BENCHES", {"bad": fails, "x": lambda _: TABLE})
    with pytest.raises(TaskError, match="bad: no browser"):
        bench(None, runs=1, target=tmp_path / "figures.json")
    assert list(record.read(tmp_path / "figures.json")) == ["x"]


def test_the_readme_tells_the_goal_what_is_missed_and_what_was_skipped() -> None:
    told = readme.told_in_readme({"x": record.Record.now(TABLE), "growth": record.Record.now(GROWTH)})
    assert (
        "| ours | 2.00 ms (2.00 to 2.00) | peer | 1.00 ms (1.00 to 90.0) | 2.00x | at most 1.00x | **not met** |"
        in told
    )
    assert "- ours: a limit" in told
    assert "- Skipped: a third: it is not there" in told
    assert "](docs/bench/growth.svg)" in told


def test_the_readme_and_the_charts_are_those_of_the_kept_figures() -> None:
    drawn = {path.name: path.read_text(encoding="utf-8") for path in record.FOLDER.glob("*.svg")}
    assert drawn == {path.name: text for path, text in readme.charts(record.read(record.NEWEST)).items()}
    told = readme.README.read_text(encoding="utf-8")
    assert told == readme.with_table(told), "run `python3 build.py bench --readme`"
    assert readme.MARKED.search(told)


def test_no_name_covers_another_in_a_chart() -> None:
    drawing = ElementTree.fromstring(chart.chart(GROWTH))
    names = [text for text in drawing.iter() if (text.text or "").startswith(("flat", "steep"))]
    heights = sorted(float(name.attrib["y"]) for name in names)
    assert len(heights) == 2
    assert heights[1] - heights[0] >= chart.NAME_HEIGHT


def test_the_conversation_that_is_measured_with_has_8_mb_of_pictures() -> None:
    contents = [part for message in conversation() for part in message["content"] if isinstance(part, dict)]
    urls = [part["image_url"]["url"] for part in contents if part["type"] == "image_url"]
    assert len(urls) == 30
    assert 7_800_000 < sum(map(len, urls)) < 8_200_000
    assert any("🎉" in part["text"] for part in contents if part["type"] == "text")


def test_a_chat_of_a_megabyte_has_that_size() -> None:
    (chat,) = chats(1)
    assert len(json.dumps(chat, ensure_ascii=False).encode()) == pytest.approx(1_000_000, rel=0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_is_read_at_every_step_beside_bare_pythons() -> None:
    table = memory.measure(1, settled_s=0, large_bytes=2_000_000, chats=1)
    assert [figure.name for figure in table.figures] == [*memory.STEPS]
    assert all(figure.median > table.peer.median for figure in table.figures)


def test_every_work_is_measured_at_every_size_of_the_store() -> None:
    found = growth.measure(1, sizes=(2, 4))
    assert [line.name for line in found.lines] == [growth.START, *growth.ASKED]
    assert all(len(line.figures) == 2 for line in found.lines)


def test_a_build_is_measured_beside_the_peers_that_are_there_and_says_which_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "FOLDER", tmp_path)
    table = build.measure(1)
    assert f"300: {build.NODE}" in [figure.name for figure in table.figures]
    assert table.skipped == (peers.MISSING,)


def test_peers_that_cannot_be_installed_are_said_to_be_missing_and_nothing_is_left_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise TaskError("the package index cannot be reached")

    monkeypatch.setattr(peers, "FOLDER", tmp_path / "peers")
    monkeypatch.setattr(programs, "run", fails)
    peers.ensure()
    assert "cannot be reached" in capsys.readouterr().err
    assert not peers.are_there()
