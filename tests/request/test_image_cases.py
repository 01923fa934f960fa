"""The shared cases of group `image`: labels, pixels, their number and bytes."""

import copy
from typing import Any

import pytest
from tests.support.request_cases import cases
from tests.support.request_runs import entries_of, index_of, prepared, run_build, run_fit, written

from sidekeep.request.view import Entry, Text


def _texts(entry: Entry) -> list[str]:
    return [part.text for part in entry.parts if isinstance(part, Text)]


def _content(entry: Entry) -> Any:
    texts = _texts(entry)
    return texts[0] if len(texts) == 1 else texts


def _shown(case: dict[str, Any]) -> list[Entry]:
    params = case["params"]
    if params["op"] == "fit":
        return run_fit(case["history"], params).sent
    return prepared(entries_of(case["history"]), max_bytes=params.get("max_bytes"), max_images=params.get("max_images"))


@pytest.mark.parametrize("case", cases("image"))
def test_pictures_go_out_as_the_case_says(case: dict[str, Any]) -> None:
    before = copy.deepcopy(case["history"])
    shown = _shown(case)
    body = str(written(shown))
    checks: dict[str, Any] = {
        "content": lambda wanted: [_content(entry) for entry in shown] == wanted,
        "labels": lambda wanted: [text for text in _texts(shown[0]) if text in wanted] == wanted,
        "pixels": lambda wanted: sum(entry.images for entry in shown) == wanted,
        "labelled_index": lambda wanted: [index_of(entry) for entry in shown if entry.labels] == wanted,
        "idempotent": lambda _: prepared(shown) == shown,
        "input_unchanged": lambda _: _shown(case) == shown and case["history"] == before,
        "max_bytes": lambda wanted: len(body) <= wanted,
        "newest_pixels": lambda _: shown[-1].images > 0,
    }
    for name, wanted in case["expect"].items():
        assert checks[name](wanted), (name, wanted)
    assert "imagesSeen" not in body


def test_labels_are_the_same_on_the_whole_way() -> None:
    for case in cases("image"):
        history = case.values[0]["history"]
        if case.values[0]["params"]["op"] == "labels" and history:
            assert run_build(history)[0].entries == tuple(prepared(entries_of(history)))
