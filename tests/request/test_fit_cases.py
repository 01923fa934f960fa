"""The shared cases of group `fit`."""

import copy
import itertools
from typing import Any

import orjson
import pytest
from tests.support.request_cases import cases
from tests.support.request_runs import Run, counter, index_of, pairs_are_whole, run_fit, written


def _tokens(run: Run, params: dict[str, Any]) -> int:
    return sum(counter(params["counter"])(entry).tokens for entry in run.sent)


def _is_one_run(run: Run) -> bool:
    """What goes out is an unbroken end of what is not instructions."""
    said = [index_of(entry) for entry in run.given if entry.role not in ("system", "developer")]
    kept = [index_of(entry) for entry in run.sent if entry.role != "system"]
    return kept == said[len(said) - len(kept) :]


def _takes_turns(run: Run) -> bool:
    roles = [
        message["role"] for message in written(run.sent, alternate=True)["messages"] if message["role"] != "system"
    ]
    return all(one != other for one, other in itertools.pairwise(roles))


def _has_no_empty_text(run: Run) -> bool:
    return all(message.get("content") or message.get("tool_calls") for message in run.messages)


def _arguments_are_json(run: Run) -> bool:
    calls = [call for message in run.messages for call in message.get("tool_calls", ())]
    return all(orjson.loads(call["function"]["arguments"]) is not None for call in calls)


def _first_role(run: Run) -> str:
    return next(entry.role for entry in run.sent if entry.role != "system")


@pytest.mark.parametrize("case", cases("fit"))
def test_a_conversation_is_made_to_fit_as_the_case_says(case: dict[str, Any]) -> None:
    params, history = case["params"], copy.deepcopy(case["history"])
    run = run_fit(case["history"], params)
    checks: dict[str, Any] = {
        "keep": lambda wanted: run.whole() == wanted and len(run.sent) == len(wanted),
        "contains": lambda wanted: set(wanted) <= set(run.whole()),
        "absent": lambda wanted: not set(wanted) & {index_of(entry) for entry in run.sent},
        "unchanged": lambda _: run.whole() == list(range(len(history))),
        "error": lambda wanted: run.entries is None and run.error == wanted,
        "error_or_contains_user": lambda _: run.entries is None or any(e.role == "user" for e in run.sent),
        "first_role": lambda wanted: _first_role(run) == wanted,
        "pairs_ok": lambda _: pairs_are_whole(run.sent),
        "max_tokens": lambda wanted: _tokens(run, params) <= wanted,
        "contiguous_suffix": lambda _: _is_one_run(run),
        "alternates": lambda _: _takes_turns(run),
        "thinking_intact": lambda _: "thinking" not in str(run.messages),
        "no_empty_text": lambda _: _has_no_empty_text(run),
        "valid_json_arguments": lambda _: _arguments_are_json(run),
        "input_unchanged": lambda _: case["history"] == history,
        "deterministic": lambda _: orjson.dumps(run.messages) == orjson.dumps(run_fit(history, params).messages),
        "allowed_keys": lambda wanted: all(set(message) <= set(wanted) for message in run.messages),
    }
    for name, wanted in case["expect"].items():
        assert checks[name](wanted), (name, wanted, run)
    if run.entries is not None:
        assert pairs_are_whole(run.sent)
        assert _has_no_empty_text(run)
