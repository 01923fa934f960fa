"""An entry's artifact family."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain.family import collect_artifact_family

ids = st.sampled_from(["", "a", "b", "c"]) | st.none() | st.integers()
sides = st.fixed_dictionaries({}, optional={"sessionId": ids}) | st.none() | ids
entries = st.fixed_dictionaries(
    {},
    optional={
        "sessionId": ids,
        "compactionCheckpoints": st.lists(
            st.fixed_dictionaries({}, optional={"preCompaction": sides, "postCompaction": sides}) | ids, max_size=3
        )
        | ids,
        "usageFamilySessionIds": st.lists(ids, max_size=4) | ids,
    },
)


def test_own_then_checkpoints_then_usage_family() -> None:
    entry: dict[str, Any] = {
        "usageFamilySessionIds": ["u2", "own", "u1"],
        "compactionCheckpoints": [
            {"preCompaction": {"sessionId": "pre1"}, "postCompaction": {"sessionId": "post1"}},
            {"preCompaction": {"sessionId": "post1"}, "postCompaction": {"sessionId": "post2"}},
        ],
        "sessionId": "own",
    }
    assert collect_artifact_family(entry) == ("own", "pre1", "post1", "post2", "u2", "u1")


@pytest.mark.parametrize(
    "entry", [{}, {"sessionId": ""}, {"usageFamilySessionIds": [""]}, {"compactionCheckpoints": [{}]}]
)
def test_nothing_is_named_by_nothing(entry: dict[str, Any]) -> None:
    assert collect_artifact_family(entry) == ()


@given(entry=entries)
def test_no_empty_ids_no_doubles_and_the_same_order_each_time(entry: dict[str, Any]) -> None:
    family = collect_artifact_family(entry)
    assert len(set(family)) == len(family)
    assert "" not in family
    assert {type(name) for name in family} <= {str}
    assert collect_artifact_family(entry) == family
