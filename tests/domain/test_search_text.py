"""How texts and queries are folded, and where what was found stands in the text as it was written."""

from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain import search_text

ALIKE = {
    "case": ("Straße", "STRASSE", "strasse"),
    "capital sharp s": ("GROẞ", "groß"),
    "accents": ("naïve", "naive", "nai\u0308ve"),
    "Turkish i": ("İSTANBUL", "istanbul", "ISTANBUL", "ıstanbul"),
    "a stroke": ("Łódź", "lodz"),
    "sigma": ("ὈΔΥΣΣΕΎΣ", "οδυσσευς"),
    "ё": ("ёж", "еж"),
    "Hebrew points": ("שָׁלוֹם", "שלום"),
    "Arabic vowel signs and tatweel": ("مُحَمَّد", "محـمد"),
    "width": ("ＡＢＣ", "abc"),
    "halfwidth kana": ("ｶﾅ", "カナ"),
    "a kana and its mark": ("か\u3099", "が"),
    "jamo": ("\u1112\u1161\u11ab", "한"),
    "a ligature": ("ﬁn", "fin"),
    "a soft hyphen": ("break\u00adfast", "breakfast"),
    "joiners in an emoji": ("👩\u200d💻", "👩💻"),
    "spaces": ("a \u00a0\n\tb", "a b"),
}
DIFFERENT = {
    "kana": ("か", "が"),
    "syllables": ("한", "하"),
    "й": ("мой", "мои"),
    "Thai vowels": ("กิ", "กี"),
    "Hindi vowels": ("कि", "कु"),
    "skin tones": ("👋🏽", "👋🏿"),
    "flags": (
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    ),
    "signs": ("C++", "C#"),
}


@pytest.mark.parametrize("forms", ALIKE.values(), ids=ALIKE.keys())
def test_these_are_alike(forms: tuple[str, ...]) -> None:
    assert len({search_text.fold(form) for form in forms}) == 1


@pytest.mark.parametrize("forms", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_these_are_not(forms: tuple[str, ...]) -> None:
    assert len({search_text.fold(form) for form in forms}) == len(forms)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_a_part_of_a_text_folds_to_a_part_of_it(text: str, data: st.DataObject) -> None:
    clusters = regex.findall(r"\X", text)
    start = data.draw(st.integers(0, len(clusters)))
    part = "".join(clusters[start : data.draw(st.integers(start, len(clusters)))])
    assert search_text.fold(part) in search_text.fold(text)


@given(st.text(st.sampled_from("aßİ…½é\u0301 \n👋🏽日")), st.text(st.sampled_from("aßİ…½é 日"), min_size=1))
def test_a_place_is_where_the_query_begins(text: str, typed: str) -> None:
    query = search_text.parse(typed)
    place = search_text.place_of(text, query)
    assert 0 <= place <= len(text)
    folded = search_text.fold(text)
    if query.words and query.phrase in folded and " " not in query.phrase:
        # Up to a character that folds to more than the query begins with.
        assert query.phrase in search_text.fold(text[place:])
        assert query.phrase not in search_text.fold(text[place + 1 :]) or folded.count(query.phrase) > 1


def _searched(content: Any) -> str:
    return search_text.searched_text({"role": "user", "content": content})


RANKS = {"Blue heron": 4, "Blue herons of Kyoto": 3, "A blue heron": 2, "Heron, blue": 1, "Heron": 0}


@pytest.mark.parametrize(("name", "rank"), RANKS.items())
def test_a_name_ranks_by_how_close_it_is(name: str, rank: int) -> None:
    assert search_text.name_rank(name, search_text.parse(" BLUE heron")) == rank


def test_a_word_that_is_typed_twice_is_looked_for_once() -> None:
    assert search_text.name_rank("Herons", search_text.parse("heron heron")) == 1


def test_a_query_of_blanks_or_of_marks_alone_says_nothing() -> None:
    assert search_text.parse(" \n\u0301").is_blank


def test_the_text_of_an_attachment_is_searched_without_its_labels() -> None:
    text = (
        "[Page context attached by sidekeep]\nURL: https://example.org/\nTitle: Herons\nChannel: Birds\n"
        "Mode: full\n---\n\nThe heron\n---\nstands."
    )
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": ""}}]
    assert _searched(parts) == "https://example.org/\nHerons\nChannel: Birds\nThe heron\n---\nstands."
    assert _searched("[Page context attached by sidekeep] is a header") != ""


def test_pictures_inside_a_text_are_not_searched() -> None:
    picture = "data:image/png;base64," + "iVBORw0K" * 50
    assert _searched(f"![a]({picture}) and ![b]({picture}=) end") == (
        "![a](data:image/png;base64,) and ![b](data:image/png;base64,) end"
    )
    assert _searched("a data URL begins ;base64,words") == "a data URL begins ;base64,words"
