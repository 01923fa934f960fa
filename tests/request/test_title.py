"""What of a model's answer is a title."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.request.title import request_text, title_of

ANSWERS = {
    "as it should be": ("The light of Vell", "The light of Vell"),
    "in quotation marks, with a full stop": ('"The light of Vell."', "The light of Vell"),
    "as a heading": ("## The light of Vell", "The light of Vell"),
    "bold, after a label": ("**Title: The light of Vell**", "The light of Vell"),
    "in another script": ("「ヴェルの灯」", "ヴェルの灯"),
    "with lines of blanks around": ("\n  The light of Vell \n\n", "The light of Vell"),
    "a paragraph": ("word " * 40, ""),
    "several lines": ("Some titles:\n1. The light\n2. The tower", ""),
    "nothing": (" \n", ""),
    "marks alone": ('"**"', ""),
}


@pytest.mark.parametrize(("answer", "expected"), ANSWERS.values(), ids=ANSWERS.keys())
def test_a_title_is_one_short_line_without_what_stands_around_it(answer: str, expected: str) -> None:
    assert title_of(answer) == expected


@given(st.text())
def test_whatever_a_model_says_gives_one_line_of_a_names_length_or_none(answer: str) -> None:
    title = title_of(answer)
    assert len(title) <= 80
    assert len(title.splitlines()) <= 1


def test_a_long_chat_is_asked_about_by_its_beginning() -> None:
    assert len(request_text("q" * 100_000, "a" * 100_000)) < 5_000
