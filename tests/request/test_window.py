"""The frugal window counts from the newest back."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.requests import answers, asks, calls, returns

from sidekeep.request.cut import marker
from sidekeep.request.view import Entry, Image, Text
from sidekeep.request.window import tail


def test_the_message_at_which_the_characters_are_used_up_keeps_its_end_with_a_marker() -> None:
    shown = tail([asks("x" * 50), asks("abc" * 40), answers("y" * 60)], max_characters=100)
    assert [entry.text for entry in shown] == [marker(80) + ("abc" * 40)[-40:], "y" * 60]


def test_a_question_that_is_longer_than_the_window_is_itself_cut() -> None:
    (only,) = tail([answers("y"), asks("x" * 9_000)])
    assert only.text == marker(1_000) + "x" * 8_000


def test_pictures_and_empty_rooms_cost_nothing() -> None:
    picture = Image(sha256=b"x")
    shown = tail([asks(picture), asks("x" * 100)], max_characters=100)
    assert [entry.parts for entry in shown] == [(picture,), (Text("x" * 100),)]


def test_what_calls_a_tool_is_not_cut_and_its_result_goes_with_it() -> None:
    call = calls("c1", "read", '{"x":"%s"}' % ("y" * 200))
    assert tail([asks("q"), call, returns("c1", "r"), asks("now")], max_characters=100) == [asks("now")]


@given(lengths=st.lists(st.integers(0, 40), max_size=20), messages=st.integers(0, 15), characters=st.integers(0, 120))
def test_both_limits_are_kept_and_filled(lengths: list[int], messages: int, characters: int) -> None:
    said = [Entry(str(n), "user", (Text("x" * length),)) for n, length in enumerate(lengths)]
    shown = tail(said, max_messages=messages, max_characters=characters)
    assert len(shown) <= messages
    kept = sum(entry.own_characters for entry in shown)
    newest = said[len(said) - min(messages, len(said)) :]
    assert kept == min(characters, sum(lengths[len(lengths) - len(newest) :]))
    assert [entry.message_id for entry in shown] == [entry.message_id for entry in said[len(said) - len(shown) :]]
