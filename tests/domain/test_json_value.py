"""JSON values as the browser's storage area sees them."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain import json_value

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("", '""'),
        ("<", '"\\u003C"'),
        ("\u2028\u2029", '"\\u2028\\u2029"'),
        ("é😀", '"é😀"'),
        ('\n"', '"\\n\\""'),
        ([1, 2], "[1,2]"),
        ({"b": None}, '{"b":null}'),
        (1.5, "1.5"),
        (-0.25, "-0.25"),
        (2.0, "2"),
        (2**31 - 1, "2147483647"),
        (2**31, "2147483648.0"),
        ({"deep": [2**40, 1e12, 99999999999]}, '{"deep":[1.099511627776e+12,1e+12,99999999999.0]}'),
        (1e21, "1e+21"),
        (1.5e-7, "1.5e-7"),
    ],
)
def test_a_size_is_what_chromium_writes(value: Any, written: str) -> None:
    assert json_value.size_of("kéy", orjson.dumps(value), value) == len("kéy".encode()) + len(written.encode())


def test_defaults_merge_at_every_depth() -> None:
    default = {"a": {"x": 1, "y": {"z": 2}}, "b": [1]}
    stored = {"a": {"y": {"w": 3}}, "b": [2], "c": None}
    assert json_value.merge_defaults(default, stored) == {"a": {"x": 1, "y": {"w": 3, "z": 2}}, "b": [2], "c": None}


@pytest.mark.parametrize(("default", "stored"), [({"a": 1}, [1]), ([1], {"a": 1}), (1, None), ({"a": 1}, None)])
def test_anything_but_two_objects_is_replaced(default: Any, stored: Any) -> None:
    assert json_value.merge_defaults(default, stored) == stored


@given(default=values, stored=values)
def test_merging_keeps_all_that_is_stored(default: Any, stored: Any) -> None:
    merged = json_value.merge_defaults(default, stored)
    if isinstance(stored, dict):
        assert stored.keys() <= merged.keys()
        assert isinstance(default, dict) or merged == stored
    else:
        assert merged == stored


@given(value=values)
def test_sorting_changes_the_order_and_nothing_else(value: Any) -> None:
    ordered = json_value.sorted_deeply(value)
    assert ordered == value
    assert orjson.dumps(ordered) == orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


@given(value=values)
def test_a_value_equals_itself_in_any_order_of_keys(value: Any) -> None:
    assert json_value.equal(orjson.dumps(value), orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [("1", "1.0", True), ("true", "1", False), ("[true]", "[1]", False), ("0", "false", False), ('"1"', "1", False),
     ("[1,2]", "[2,1]", False), ('{"a":1,"b":2}', '{"b":2,"a":1}', True), ("null", "{}", False)],
)  # fmt: skip
def test_equality_is_the_browsers(left: str, right: str, same: bool) -> None:
    assert json_value.equal(left.encode(), right.encode()) is same
