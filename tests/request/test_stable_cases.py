"""The shared cases of group `stable`: what the next request has in common with the last."""

import itertools
from typing import Any

import pytest
from tests.support.request_cases import cases
from tests.support.request_runs import History, counter, entries_of, run_build, run_fit, written

from sidekeep.request.fit import WHOLE
from sidekeep.request.view import Entry


def _common(one: list[Any], other: list[Any]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _prefix_share(case: dict[str, Any]) -> float:
    """The share of the first request's tokens with which the second begins, too."""
    params = case["params"]
    first = run_fit(case["history"], params, last=WHOLE)
    second = run_fit([*case["history"], *params["append"]], params, last=first.cut)
    same = first.sent[: _common(first.sent, second.sent)]
    return _tokens(same, params) / _tokens(first.sent, params)


def _tokens(entries: list[Entry], params: dict[str, Any]) -> int:
    return sum(counter(params["counter"])(entry).tokens for entry in entries)


def _breaks(case: dict[str, Any]) -> int:
    """How often a request does not begin with the whole of the one before it, as the chat grows by `turns` turns."""
    history = case["history"]
    more: History = []
    for number in range(case["params"].get("turns", 0)):
        more += [{"role": "assistant", "content": f"a{number}"}, {"role": "user", "content": f"more {number}"}]
    whole = [*history, *more]
    asked = [i + 1 for i, e in enumerate(entries_of(whole)) if e.role == "user" and not e.is_attachment]
    requests = [written(run_build(whole[:end])[0].entries)["messages"] for end in asked]
    return sum(later[: len(one)] != one for one, later in itertools.pairwise(requests))


@pytest.mark.parametrize("case", cases("stable"))
def test_requests_begin_alike_as_the_case_says(case: dict[str, Any]) -> None:
    checks: dict[str, Any] = {
        "min_prefix_share": lambda wanted: _prefix_share(case) >= wanted,
        "prefix_breaks": lambda wanted: _breaks(case) == wanted,
        "identical": lambda _: run_build(case["history"]) == run_build(case["history"]),
    }
    for name, wanted in case["expect"].items():
        assert checks[name](wanted), (name, wanted)
