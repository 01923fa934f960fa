"""Chats' names."""

import pytest

from sidekeep.domain.chat import DERIVED_NAME_CHARS, derived_name, given_name

FAMILY = "👩‍👩‍👧‍👦"


def test_a_short_question_is_the_name() -> None:
    assert derived_name(" Why\n do lighthouses  blink? ", 0) == "Why do lighthouses blink?"


def test_a_long_question_is_cut_with_an_ellipsis() -> None:
    name = derived_name("word " * 30, 0)
    assert len(name) <= DERIVED_NAME_CHARS
    assert ("word " * 30).startswith(name.removesuffix("…"))
    assert name.endswith("…")


def test_exactly_as_long_as_allowed_is_not_cut() -> None:
    assert derived_name("x" * DERIVED_NAME_CHARS, 0) == "x" * DERIVED_NAME_CHARS
    assert derived_name("x" * (DERIVED_NAME_CHARS + 1), 0) == "x" * (DERIVED_NAME_CHARS - 1) + "…"


@pytest.mark.parametrize(
    "unit",
    ["e\u0301", FAMILY, "👍🏽", "❤\ufe0f", "क्\u200dष", "क्षि", "🇩🇪", "\u1100\u1161\u11a8"],
    ids=["accent", "family", "skin", "style", "joiner", "conjunct", "flag", "jamo"],
)
@pytest.mark.parametrize("before", range(12))
def test_a_name_is_never_cut_inside_what_looks_like_one_character(unit: str, before: int) -> None:
    text = "x" * (DERIVED_NAME_CHARS - 1 - before) + unit * 20
    name = derived_name(text, 0)
    whole, rest = divmod(len(name) - 1 - (DERIVED_NAME_CHARS - 1 - before), len(unit))
    assert rest == 0, f"{whole} units and {rest} code points of another"


def test_without_a_text_the_date_is_the_name() -> None:
    assert derived_name(" \n ", 1_700_000_000_000) == "2023-11-14 22:13"


@pytest.mark.parametrize("blank", ["\u200b", "\ufeff \u2060", "\0", "\u200e\u200d"])
def test_a_text_of_which_nothing_can_be_seen_is_no_name(blank: str) -> None:
    assert given_name(blank) == ""
    assert derived_name(blank, 1_700_000_000_000) == "2023-11-14 22:13"
    assert given_name(f"{blank}ok") == f"{blank}ok".strip()


def test_a_given_name_is_one_line_and_bounded() -> None:
    assert given_name(" a\n b ") == "a b"
    assert len(given_name("x" * 500)) == 80
    assert given_name("x" * 78 + FAMILY) == "x" * 78
    assert given_name(None) == ""


@pytest.mark.parametrize("at_ms", [10**17, -(10**17), 10**19])
def test_a_time_beyond_the_calendar_gives_no_name(at_ms: int) -> None:
    assert derived_name("", at_ms) == ""
