"""The line around what a search has found."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain import search_text
from sidekeep.domain.snippet import AFTER, BEFORE, snippet

FAMILY = "👩‍👩‍👧‍👦"


def _snippet(text: str, query: str) -> str:
    return snippet(text, search_text.parse(query))


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert _snippet("A  naïve\n\nquestion", "NAIVE") == "A naïve question"


def test_what_is_left_out_is_told() -> None:
    line = _snippet("before " * 100 + "the heron" + " after" * 100, "heron")
    assert line.startswith("…")
    assert line.endswith("…")
    assert "the heron after" in line
    assert len(line) <= BEFORE + AFTER + 2


CASES = {
    "across a line break": ("one two\n  three", "two three", "one two three"),
    "words apart": ("x " * 300 + "a heron", "heron x", None),
    "letters that fold to more": ("½…ß" * 400 + "Heron", "heron", None),
    "a decomposed letter": ("か\u3099" * 50 + "x", "が", None),
    "nothing of it there": ("some text", "other", "some text"),
    "no text": ("", "x", ""),
}


@pytest.mark.parametrize(("text", "query", "line"), CASES.values(), ids=CASES.keys())
def test_the_line_has_what_was_found(text: str, query: str, line: str | None) -> None:
    shown = _snippet(text, query)
    if line is not None:
        assert shown == line
    else:
        assert any(word in search_text.fold(shown) for word in search_text.parse(query).words)


@pytest.mark.parametrize("unit", ["e\u0301\u0323", FAMILY, "👍🏽", "क्षि", "🇩🇪", "\u1100\u1161\u11a8"])
def test_no_character_is_cut(unit: str) -> None:
    line = _snippet(unit * 700 + " heron " + unit * 700, "heron")
    import unicodedata

    whole = set(regex.findall(r"\X", unicodedata.normalize("NFC", unit)))
    assert set(regex.findall(r"\X", line)) <= whole | set(" heron…")
    assert "heron" in line


def test_a_part_of_a_character_shows_all_of_it() -> None:
    assert _snippet("x 👍🏽 y", "🏽") == "x 👍🏽 y"


@given(st.text(max_size=2000), st.text(min_size=1, max_size=5))
def test_any_text_has_a_line(text: str, query: str) -> None:
    line = _snippet(text, query)
    assert "\n" not in line
    assert len(regex.findall(r"\X", line)) <= BEFORE + AFTER + 2
