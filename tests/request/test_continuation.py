"""An answer that was cut by its limit goes on, and the parts join."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.request.continuation import Joint, going_on
from sidekeep.request.view import Entry, Text


def _joined(first: str, pieces: list[str]) -> str:
    joint = Joint(first)
    return first + "".join(map(joint.feed, pieces)) + joint.rest()


@pytest.mark.parametrize(
    ("first", "pieces", "whole"),
    [
        ("One two", [" three", " four"], "One two three four"),
        ("The fox jumps over the", ["over the ", "dog"], "The fox jumps over theover the dog"),
        ("It is said that the fox jumps over the", ["the fox jumps", " over the lazy dog"],
         "It is said that the fox jumps over the lazy dog"),
        ("It is said that the fox jumps over the", ["the fox jumps over the"], "It is said that the fox jumps over the"),
        ("la la la", [" la", " la"], "la la la la la"),
        ("", ["a", "b"], "ab"),
        ("a", [], "a"),
    ],
    ids=["nothing repeated", "a few words", "a repetition", "only a repetition", "a short refrain", "no first part", "no more"],
)  # fmt: skip
def test_what_is_repeated_is_left_out(first: str, pieces: list[str], whole: str) -> None:
    assert _joined(first, pieces) == whole


@given(
    first=st.text("ab", max_size=60), second=st.text("ab", max_size=60), cuts=st.lists(st.integers(0, 60), max_size=5)
)
def test_any_split_of_the_second_part_gives_the_same_answer(first: str, second: str, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(second)]
    pieces = [second[start:end] for start, end in pairwise(edges)]
    assert _joined(first, pieces) == _joined(first, [second])


@given(first=st.text(max_size=500), second=st.text(max_size=100))
def test_nothing_of_the_first_part_is_lost_and_nothing_new(first: str, second: str) -> None:
    whole = _joined(first, [second])
    assert whole.startswith(first)
    assert second.endswith(whole[len(first) :])


def test_the_answer_so_far_is_the_models_own() -> None:
    asked = (Entry("q", "user", (Text("Why?"),)),)
    *_, answer, request = going_on(asked, "Because")
    assert (answer.role, answer.text, request.role) == ("assistant", "Because", "user")
