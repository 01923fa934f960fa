"""No test holds time by the wall clock against an absolute bound: on a busy machine it fails, and the code is right."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns"}
# Names that a test gives to the time that something took.
TOLD = {"seconds", "elapsed", "elapsed_s", "took", "took_s", "duration"}
ALLOWED = {
    "process/test_end.py": "the browser kills a host that has not ended by then",
    "store/test_checkpoint.py": "half of the time that SQLite itself would wait for a lock: a wait is told from none",
}


def bounds(source: str) -> list[int]:
    """The lines of assertions that compare a time that passed with something."""
    tree = ast.parse(source)
    clocks = _assigned(tree, lambda value: isinstance(value, ast.Attribute) and value.attr in CLOCKS)
    elapsed = _assigned(tree, lambda value: _is_elapsed(value, clocks, set()))
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
        for compared in ast.walk(node.test)
        if isinstance(compared, ast.Compare)
        and isinstance(compared.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
        and any(_is_elapsed(side, clocks, elapsed) for side in (compared.left, *compared.comparators))
    ]


def _assigned(tree: ast.Module, fits: Callable[[ast.expr], bool]) -> set[str]:
    """The names that are given such a value."""
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and fits(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _is_elapsed(node: ast.expr, clocks: set[str], names: set[str]) -> bool:
    """Whether something is subtracted from a clock's reading in it, or it is a name that stands for such a difference."""
    return any(
        (isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub) and _reads_clock(inner.left, clocks))
        or (isinstance(inner, ast.Name) and inner.id in names | TOLD)
        or (isinstance(inner, ast.Attribute) and inner.attr in TOLD)
        for inner in ast.walk(node)
    )


def _reads_clock(node: ast.expr, clocks: set[str]) -> bool:
    called = [inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    return any(
        (isinstance(each, ast.Attribute) and each.attr in CLOCKS) or (isinstance(each, ast.Name) and each.id in clocks)
        for each in called
    )


def test_no_assertion_bounds_the_time_that_something_takes() -> None:
    found = {
        path.relative_to(TESTS).as_posix(): lines
        for path in TESTS.rglob("*.py")
        if (lines := bounds(path.read_text(encoding="utf-8")))
    }
    assert {name: lines for name, lines in found.items() if name not in ALLOWED} == {}
    assert set(ALLOWED) <= set(found), "it bounds nothing any more: take it from ALLOWED"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("assert time.monotonic() - started < 5", [1], id="a difference"),
        pytest.param("took = max(1, time.perf_counter() - started)\nassert 2 > took", [2], id="by way of a name"),
        pytest.param("clock = loop.time\nassert clock() - began > 0.4", [2], id="by a clock of another name"),
        pytest.param("assert ended.seconds < 2", [1], id="as somebody else measured it"),
        pytest.param("assert time.monotonic() < deadline", [], id="the deadline of a wait"),
        pytest.param("assert time.process_time() - started < 5", [], id="time of the processor"),
        pytest.param("left = end - time.monotonic()\nassert left > 0", [], id="what is left of a wait"),
    ],
)
def test_what_counts_as_a_bound(source: str, found: list[int]) -> None:
    assert bounds(source) == found
