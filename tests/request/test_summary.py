"""A long text in parts, and what is taken for a summary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.request import summary

pieces = st.sampled_from(["# Heading\n", "words and words. ", "\n\n", "\n", "中文。", "x" * 30, "👨‍👩‍👧", "- item\n"])


@given(text=st.lists(pieces, max_size=60).map("".join), limit=st.integers(1, 200))
def test_parts_add_up_to_the_text_and_none_is_too_long(text: str, limit: int) -> None:
    found = summary.parts(text, limit)
    assert "".join(found) == text
    assert all(0 < len(part) <= limit for part in found)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a" * 60 + "\n\n" + "b" * 20 + "\n# Two\n" + "c" * 50, "a" * 60 + "\n\n" + "b" * 20 + "\n"),
        ("a" * 60 + "\n\n" + "b" * 20 + "\n" + "c" * 50, "a" * 60 + "\n\n"),
        ("a" * 60 + "\n" + "b" * 20 + ". " + "c" * 50, "a" * 60 + "\n"),
        ("a" * 60 + ". " + "c" * 50, "a" * 60 + ". "),
        ("a" * 120, "a" * 100),
    ],
    ids=["a heading", "a paragraph", "a line", "a sentence", "nothing"],
)
def test_a_text_is_cut_at_the_best_seam_in_the_second_half(text: str, first: str) -> None:
    assert summary.parts(text, 100)[0] == first


@given(lengths=st.lists(st.integers(1, 50), min_size=2, max_size=30), limit=st.integers(1, 100))
def test_merging_comes_to_an_end(lengths: list[int], limit: int) -> None:
    groups = summary.merge_groups(["s" * length for length in lengths], limit)
    assert [len(text) for group in groups for text in group] == lengths
    assert len(groups) <= -(-len(lengths) // 2)


def test_parts_are_smaller_for_a_model_with_a_small_window() -> None:
    assert [summary.part_characters(tokens) for tokens in (200, 2_048, 8_192, 1_000_000)] == [500, 1_024, 4_096, 12_000]


@pytest.mark.parametrize(("text", "counts"), [("", False), (" \n", False), ("short", True), ("x" * 100, False)])
def test_a_summary_says_something_and_less(text: str, counts: bool) -> None:
    assert summary.is_one(text, "x" * 100) is counts
