"""What a compaction summarises, what it keeps, and in which parts the model is asked."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.request.build import Report
from sidekeep.request.compaction import is_due, plan, request_text
from sidekeep.request.tokens import estimate
from sidekeep.request.view import Entry, Image, Text, ToolCall

WINDOW = 4096


def said(name: str, text: str = "some words", **fields: Any) -> Entry:
    """`u1` is the user's, `a1` the assistant's."""
    return Entry(name, "user" if name[0] == "u" else "assistant", (Text(text),), **fields)


TALK = [said(name) for name in ("u1", "a1", "u2", "a2", "u3", "a3", "u4")]


def test_the_newest_two_turns_stay_and_all_before_them_is_summarised() -> None:
    found = plan(TALK, WINDOW)
    assert found is not None
    assert (found.covered, found.first_kept) == (("u1", "a1", "u2", "a2"), "u3")
    assert found.parts == ("User: some words\n\nAssistant: some words\n\nUser: some words\n\nAssistant: some words",)
    assert found.characters == 40


def test_a_turn_that_takes_half_of_the_window_stays_alone() -> None:
    found = plan([*TALK[:6], said("u4", "words " * 3000)], WINDOW)
    assert found is not None
    assert found.first_kept == "u4"


@pytest.mark.parametrize(
    "entries",
    [[], [said("u1", "word " * 100_000)], [said("u1"), said("a1"), said("u2")], [said("a1")]],
    ids=["nothing", "one message alone", "two turns", "an answer without a question"],
)
def test_where_nothing_is_older_there_is_no_plan(entries: list[Entry]) -> None:
    assert plan(entries, WINDOW) is None


def test_a_summary_alone_is_not_summarised_and_one_with_more_is() -> None:
    summary, rest = said("u0"), [said("u3"), said("a3"), said("u4")]
    assert plan([summary, *rest], WINDOW, {"u0"}) is None
    found = plan([summary, said("u2"), said("a2"), *rest], WINDOW, {"u0"})
    assert found is not None
    assert found.covered == ("u0", "u2", "a2")


def test_pictures_are_named_and_calls_of_tools_told() -> None:
    call = Entry("a1", "assistant", (), tool_calls=(ToolCall("1", "look", '{"at": 1}'),))
    image = Entry("u1", "user", (Text("Which?"), Image(sha256=b"x" * 32, size=10**7)))
    found = plan([image, call, *TALK[2:]], WINDOW)
    assert found is not None
    assert "[image 1]" in found.parts[0]
    assert "[calls look:" in found.parts[0]


def test_a_second_part_is_asked_with_the_summary_of_the_first() -> None:
    assert request_text("PART", "").startswith("Conversation:")
    assert "S1" in request_text("PART", "S1").partition("Conversation:")[0]


@pytest.mark.parametrize(
    ("report", "due"),
    [
        (Report(estimated_tokens=3481, window_tokens=WINDOW), False),
        (Report(estimated_tokens=3482, window_tokens=WINDOW), True),
        (Report(estimated_tokens=2000, window_tokens=WINDOW, messages_dropped=2), True),
    ],
    ids=["below 85 percent", "85 percent", "more than goes into a request"],
)
def test_a_chat_that_fills_its_window_is_due(report: Report, due: bool) -> None:
    assert is_due(report) is due


texts = st.text(max_size=200).map(lambda text: text * 40)


@given(
    bodies=st.lists(texts, min_size=3, max_size=9),
    window=st.sampled_from([2048, 8192, 131_072]),
)
def test_everything_is_summarised_or_kept_and_every_part_fits(bodies: list[str], window: int) -> None:
    entries = [said(f"{'ua'[index % 2]}{index}", body or "-") for index, body in enumerate(bodies)]
    found = plan(entries, window)
    if found is None:
        return
    kept = [entry.message_id for entry in entries]
    kept = kept[kept.index(found.first_kept) :] if found.first_kept is not None else []
    assert [*found.covered, *kept] == [entry.message_id for entry in entries]
    whole = "".join("".join(found.parts).split())
    spoken = "".join(("User: " if e.role == "user" else "Assistant: ") + e.text for e in entries[: len(found.covered)])
    assert whole == "".join(spoken.split())
    assert all(estimate(part) + 2 * found.answer_tokens < window for part in found.parts)
