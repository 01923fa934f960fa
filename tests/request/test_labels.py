"""Pictures as labels, and pixels at their anchors."""

import pytest

from sidekeep.request.labels import shown
from sidekeep.request.view import Entry, Image, Part, Text

ONE, TWO, THREE = (Image(sha256=name) for name in (b"1", b"2", b"3"))


def _entry(*parts: Part | str) -> Entry:
    return Entry("m", "user", tuple(Text(part) if isinstance(part, str) else part for part in parts))


def _all_labelled(*parts: Part | str) -> list[str]:
    entry = _entry(*parts)
    return [part.text for part in shown(entry, range(1, entry.images + 1)).parts if isinstance(part, Text)]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("## Figures\n1. A\n2. B", ["[A]", "[B]"]),
        ("## Figures\n\n1. A\n\n2. B", ["[A]", "[B]"]),
        ("## Figures  \r\n1) A\n2) B\r\n", ["[A]", "[B]"]),
        ("## Figures\n1. A goes\n   on here\n2. B", ["[A goes on here]", "[B]"]),
        ("## Figures of speech\n1. A\n2. B", ["[image 1]", "[image 2]"]),
        ("### Figures\n1. A", ["[image 1]", "[image 2]"]),
        ("see ## Figures\n1. A", ["[image 1]", "[image 2]"]),
        ("## Figures\n1. A\n\nThen do:\n1. x\n2. y", ["[A]", "[image 2]"]),
        ("## Figures\n1. A\n\n1. x\n2. y", ["[A]", "[image 2]"]),
        ("## Figures\nThese are:\n1. A", ["[image 1]", "[image 2]"]),
        ("## Figures\nnone\n## Figures\n1. A\n2. B", ["[A]", "[B]"]),
        ("1. x\n## Figures\n## Next\n1. y", ["[image 1]", "[image 2]"]),
    ],
)
def test_captions_are_the_list_right_under_the_heading(text: str, labels: list[str]) -> None:
    assert _all_labelled(text, ONE, TWO) == [text, *labels]


def test_a_label_stands_at_its_anchor_and_reads_as_the_caption() -> None:
    assert _all_labelled("a [图2] b\n\n## Figures\n1. One\n2. Two", ONE, TWO) == [
        "a [Two] b\n\n## Figures\n1. One\n2. Two",
        "[One]",
    ]


def test_an_anchor_is_the_label_where_there_is_no_caption() -> None:
    assert _all_labelled("a [图1] b [图1]", ONE, TWO) == ["a [图1] b [图1]", "[image 2]"]


def test_pixels_stand_behind_their_anchors_and_the_others_follow() -> None:
    entry = shown(_entry("a [图2] b [图1] c [图2] [图9] [图0]", ONE, TWO, THREE), ())
    assert entry.parts == (Text("a [图2]"), TWO, Text(" b [图1]"), ONE, Text(" c [图2] [图9] [图0]"), THREE)


def test_one_entry_may_have_labels_and_pixels() -> None:
    entry = shown(_entry("a [图1] b [图2] c", ONE, TWO, THREE), {1})
    assert entry.parts == (Text("a [图1] b [图2]"), TWO, Text(" c"), THREE)
    assert shown(_entry(ONE, TWO), {1}).parts == (Text("[image 1]"), TWO)


def test_an_entry_without_pictures_or_anchors_is_the_same_object() -> None:
    for entry in (_entry("[图1] nothing"), _entry("a", ONE)):
        assert shown(entry, ()) is entry


def test_what_is_kept_of_the_text_and_its_estimate_are_known() -> None:
    entry = Entry("m", "user", (Text("look"), ONE), tokens=1)
    labelled = shown(entry, {1})
    assert (labelled.own_characters, labelled.labels) == (len("look"), 1)
    assert labelled.tokens is not None
    assert labelled.tokens > 1
