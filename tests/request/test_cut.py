"""Cuts: exact counts, whole characters, the marker inside the limit."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain import graphemes
from sidekeep.request.cut import Side, Unit, cut, cut_entry, cut_with_marker, marker
from sidekeep.request.view import Entry, Image, Text

FAMILY = "👨‍👩‍👧"
pieces = st.sampled_from(
    ["a", "中", "🦊", FAMILY, "e\u0301", "🇵🇱", "🇩🇪", "\r\n", "각", "क्ष", " ", "[12 characters left out]"]
)
texts = st.lists(pieces | st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=40).map("".join)
sides: st.SearchStrategy[Side] = st.sampled_from(["head", "tail", "middle"])
limits = st.integers(0, 80)


def _edges(text: str) -> set[int]:
    return {0, *(cluster.end() for cluster in regex.finditer(r"\X", text))}


@given(text=texts, limit=limits, side=sides)
def test_what_is_kept_and_what_is_dropped_add_up(text: str, limit: int, side: Side) -> None:
    kept = cut(text, limit, side)
    assert len(kept.text) + kept.dropped == len(text)
    assert len(kept.text) <= limit or kept.text == text


@given(text=texts, limit=limits)
def test_a_cut_is_between_clusters_where_a_whole_one_fits(text: str, limit: int) -> None:
    head, tail = cut(text, limit, "head").text, cut(text, limit, "tail").text
    assert text.startswith(head)
    assert text.endswith(tail)
    edges = sorted(_edges(text))
    fitting = [edge for edge in edges if edge <= limit]
    assert len(head) == (fitting[-1] or min(limit, len(text)))
    fitting = [len(text) - edge for edge in edges if len(text) - edge <= limit]
    assert len(tail) == (max(fitting) or min(limit, len(text)))


@given(text=texts, limit=limits, side=sides, unit=st.sampled_from(["bytes", "utf16"]))
def test_other_units_leave_no_half_character(text: str, limit: int, side: Side, unit: Unit) -> None:
    kept = cut(text, limit, side, unit)
    sizes = {"bytes": len(kept.text.encode()), "utf16": len(kept.text.encode("utf-16-le")) // 2}
    assert sizes[unit] <= limit or kept.text == text
    assert len(kept.text) + kept.dropped == len(text)


@given(text=texts, limit=limits, side=sides)
def test_a_marker_is_inside_the_limit_and_says_exactly_what_is_missing(text: str, limit: int, side: Side) -> None:
    kept = cut_with_marker(text, limit, side)
    assert len(kept.text) <= limit or kept.text == text
    if kept.dropped and limit >= len(marker(len(text))):
        assert marker(kept.dropped) in kept.text
        assert len(kept.text) - len(marker(kept.dropped)) + kept.dropped == len(text)


@pytest.mark.parametrize("limit", range(8))
def test_a_cluster_that_is_longer_than_the_limit_is_cut_inside(limit: int) -> None:
    assert len(cut(FAMILY + "x" * 10, limit, "head").text) in (limit, len(FAMILY))
    assert len(cut("x" * 10 + FAMILY, limit, "tail").text) in (limit, len(FAMILY))


def test_a_long_text_is_cut_without_reading_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    real = regex.finditer

    def counted(*args: Any, **options: Any) -> Iterator[Any]:
        for found in real(*args, **options):
            read.append(found.end())
            yield found

    monkeypatch.setattr(regex, "finditer", counted)
    assert graphemes.cut("e\u0301" * 200_000, 100_001) == "e\u0301" * 50_000
    assert 0 < len(read) < 1_000


@given(texts_=st.lists(texts, min_size=1, max_size=4), limit=limits, side=st.sampled_from(["head", "tail"]))
def test_an_entry_is_cut_over_all_its_texts_and_keeps_its_pictures(texts_: list[str], limit: int, side: Side) -> None:
    picture = Image(sha256=b"x")
    entry = Entry("m", "user", tuple(part for text in texts_ for part in (Text(text), picture)))
    short = cut_entry(entry, limit, side)
    assert short.images == entry.images
    assert short.own_characters <= limit or short is entry
    if short is not entry:
        said = re.findall(r"\[(\d+) characters left out\]", short.text)
        assert str(entry.characters - short.own_characters) in said
