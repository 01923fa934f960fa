"""Where turns begin, and which messages leave when there are too many."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain.turns import oldest_turns, turn_starts


@dataclass(frozen=True)
class Said:
    role: str
    attach_id: str | None = None


KINDS = {
    "q": Said("user"),
    "p": Said("user", "a page"),
    "a": Said("assistant"),
    "s": Said("system"),
    "t": Said("tool"),
}


def conversation(letters: str) -> list[Said]:
    """q a question, p an attached page, a an answer, s system, t a tool's result."""
    return [KINDS[letter] for letter in letters]


@pytest.mark.parametrize(
    ("letters", "starts"),
    [
        ("", []),
        ("qaqa", [0, 2]),
        ("pqapqa", [0, 3]),
        ("ppqaqa", [0, 4]),
        ("qqa", [0, 1]),
        ("qpqa", [0, 1]),
        ("saqa", [0]),
        ("sqaqa", [0, 3]),
        ("qaatqa", [0, 4]),
        ("ppp", [0]),
    ],
)
def test_a_turn_is_a_question_with_its_attachments_and_what_answers_it(letters: str, starts: list[int]) -> None:
    assert turn_starts(conversation(letters)) == starts


@pytest.mark.parametrize(
    ("letters", "excess", "leaving"),
    [
        ("qaqaqa", 0, 0),
        ("qaqaqa", 1, 2),
        ("qaqaqa", 2, 2),
        ("qaqaqa", 3, 4),
        ("qaqaqa", 5, 5),
        ("pppppq", 2, 2),
        ("qapppq", 3, 3),
        ("qapppq", 1, 2),
    ],
)
def test_the_oldest_whole_turns_leave(letters: str, excess: int, leaving: int) -> None:
    assert oldest_turns(conversation(letters), excess) == leaving


@given(st.text("qpast", max_size=40), st.integers(0, 50))
def test_enough_leaves_and_a_turn_is_cut_only_where_it_is_the_last_one(letters: str, excess: int) -> None:
    excess = min(excess, len(letters))
    leaving = oldest_turns(conversation(letters), excess)
    assert excess <= leaving <= len(letters)
    starts = turn_starts(conversation(letters))
    assert leaving in (0, *starts) or leaving == excess > starts[-1]
