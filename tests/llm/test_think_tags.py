"""Reasoning between think tags in the text: taken apart at the answer's beginning only, however the text comes in pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.llm.think_tags import ThinkTags

CASES = {
    "reasoning first": ("<think>\nWhy?\n</think>\n\nBecause.", "Because.", "Why?\n"),
    "white space first": ("\n <think>Why?</think>Because.", "Because.", "Why?"),
    "nothing thought": ("<think>\n\n</think>\n\nBecause.", "Because.", ""),
    "no tags": ("Because.", "Because.", ""),
    "white space alone": (" \n", " \n", ""),
    "less than a tag": ("<thin", "<thin", ""),
    "another tag": ("<thing> is HTML", "<thing> is HTML", ""),
    "tags that are spoken of": ("Models write <think>a</think>.", "Models write <think>a</think>.", ""),
    "tags in code": ("`<think>` begins it, `</think>` ends it", "`<think>` begins it, `</think>` ends it", ""),
    "tags that are spoken of after it": ("<think>a</think>b <think>c</think>", "b <think>c</think>", "a"),
    "an end tag alone": ("Why?\n</think>\n\nBecause.", "Why?\n</think>\n\nBecause.", ""),
    "an end tag that is none": ("<think>a </thin b </think>c", "c", "a </thin b "),
}


def split(*pieces: str) -> tuple[str, str]:
    tags = ThinkTags()
    both = [tags.split(piece) for piece in pieces]
    return "".join(text for text, _ in both) + tags.rest(), "".join(thought for _, thought in both)


@pytest.mark.parametrize(("answer", "text", "thought"), CASES.values(), ids=CASES.keys())
def test_reasoning_is_told_apart_at_the_beginning_and_nowhere_else(answer: str, text: str, thought: str) -> None:
    assert split(answer) == (text, thought)


@pytest.mark.parametrize(("answer", "text", "thought"), CASES.values(), ids=CASES.keys())
@given(cuts=st.lists(st.integers(0, 60), max_size=8))
def test_any_split_gives_the_same(answer: str, text: str, thought: str, cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(answer)) for cut in cuts), len(answer)]
    assert split(*(answer[start:end] for start, end in pairwise(borders))) == (text, thought)


def test_what_is_no_part_of_a_tag_is_not_held_back() -> None:
    tags = ThinkTags()
    assert tags.split("<think>Why, oh w") == ("", "Why, oh w")
    assert tags.split("hy</") == ("", "hy")
    assert tags.split("b>") == ("", "</b>")
    assert tags.open
