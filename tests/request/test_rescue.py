"""A request that was refused comes back smaller in what was refused, with the question whole."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain import attachment
from sidekeep.domain.providers import Provider
from sidekeep.errors import RequestRefused
from sidekeep.request.attempt import Attempt, attempt
from sidekeep.request.build import Conversation, RequestSettings, Turn
from sidekeep.request.overflow import Verdict
from sidekeep.request.rescue import LARGE_CHARACTERS, Rescued, rescue
from sidekeep.request.view import Entry, Image, Text
from sidekeep.request.windows import Window

SERVER = Provider("test", "openai-chat", "http://127.0.0.1:9/v1", "tiny")
PLENTY = Turn(window=Window(1_000_000, "user"))
SETTINGS = RequestSettings(system_prompt="You are kind.")
BLIND = Verdict("overflow")


def said(message_id: str, role: str, text: str, **fields: Any) -> Entry:
    return Entry(message_id, role, (Text(text),), **fields)


def page(message_id: str, characters: int, *images: Image) -> Entry:
    text = attachment.render(url="https://e.org/p", title=message_id, mode="full", text="word " * (characters // 5))
    return Entry(message_id, "user", (Text(text), *images), attach_id=message_id)


def asked(entries: list[Entry], *, provider: Provider = SERVER) -> Attempt:
    """The request that will be refused."""
    first = attempt(Conversation(tuple(entries)), PLENTY, provider, SETTINGS)
    return replace(first, report=replace(first.report, bytes=first.report.estimated_tokens * 4))


def rescued(entries: list[Entry], verdict: Verdict) -> Rescued:
    found = rescue(asked(entries), verdict)
    assert found is not None
    return found


def texts(found: Rescued) -> dict[str, str]:
    return {entry.message_id: entry.text for entry in found.attempt.request.entries}


def test_without_a_number_every_large_attachment_becomes_a_stub_with_its_header() -> None:
    found = rescued([page("A", 60_000), said("q1", "user", "Q1"), page("B", 50_000), said("q2", "user", "Q2")], BLIND)
    assert set(found.shortened) == {"A", "B"}
    for name, entry in found.shortened.items():
        assert attachment.header_fields(entry.text)["Title"] == name
        assert entry.text.endswith("characters left out]")
        assert len(entry.text) < 200
    assert texts(found)["q2"] == "Q2"


def test_with_a_number_the_newest_keeps_what_there_is_room_for() -> None:
    verdict = Verdict("overflow", limit_tokens=8192)
    found = rescued([page("A", 60_000), said("q1", "user", "Q1"), page("B", 60_000), said("q2", "user", "Q2")], verdict)
    assert found.shortened["A"].characters < 200
    assert 10_000 < found.shortened["B"].characters < 60_000
    assert 4_000 < found.attempt.report.estimated_tokens <= 8192 * 3 // 4


def test_two_numbers_tell_how_far_the_estimate_is_off() -> None:
    entries = [page("A", 60_000), said("q", "user", "Q")]
    estimated = asked(entries).report.estimated_tokens
    found = rescued(entries, Verdict("overflow", limit_tokens=8192, requested_tokens=2 * estimated))
    assert found.attempt.report.estimated_tokens <= 8192 * 3 // 4 // 2


def test_small_attachments_stay_and_the_oldest_turns_go() -> None:
    entries = [page("A", LARGE_CHARACTERS // 2), *_talk(30), said("q", "user", "Q")]
    found = rescued(entries, BLIND)
    assert not found.shortened
    assert found.attempt.report.messages_dropped > 0
    assert texts(found)["q"] == "Q"


def _talk(turns: int) -> list[Entry]:
    return [
        said(f"{role}{turn}", role, f"{turn} " + "some words " * 40)
        for turn in range(turns)
        for role in ("user", "assistant")
    ]


def test_the_pictures_of_a_shortened_attachment_go() -> None:
    image = Image(sha256=b"x" * 32, width=1000, height=1000, size=10**6)
    assert rescued([page("A", 60_000, image), said("q", "user", "Q")], BLIND).attempt.report.images_sent == 0


@pytest.mark.parametrize(
    ("verdict", "allowance"),
    [
        (Verdict("overflow_completion", 8192, 9000, 1000, 8000), 8192 - 1000 - 81),
        (Verdict("overflow", 4097, 4530, 2482, 2048), 4097 - 2482 - 40),
        (Verdict("overflow_completion"), 4000),
    ],
    ids=["most of it is the answer", "the prompt fits beside a shorter answer", "no number"],
)
def test_where_the_prompt_fits_only_the_answers_allowance_shrinks(verdict: Verdict, allowance: int) -> None:
    first = asked([page("A", 9_000), said("q", "user", "Q")], provider=SERVER._replace(max_tokens=8000))
    found = rescue(first, verdict)
    assert found is not None
    assert found.attempt.request == replace(first.request, max_tokens=allowance)


def test_a_prompt_that_leaves_no_room_for_an_answer_shrinks_itself() -> None:
    found = rescued([page("A", 60_000), said("q", "user", "Q")], Verdict("overflow", 8192, 12_000, 8_150, 3_850))
    assert found.attempt.provider == SERVER
    assert "A" in found.shortened


def test_too_many_bytes_are_answered_with_fewer_bytes() -> None:
    entries = [page("A", 60_000), said("q", "user", "Q")]
    found = rescued(entries, Verdict("payload_bytes"))
    assert sum(len(entry.text) for entry in found.attempt.request.entries) < asked(entries).report.bytes * 6 // 10


@pytest.mark.parametrize(("count", "thumbnail", "left"), [(6, 2_000, 3), (1, 2_000, 1), (1, 0, 0), (3, 0, 1)])
def test_pictures_become_fewer_and_smaller(count: int, thumbnail: int, left: int) -> None:
    images = [
        Image(sha256=bytes([n]) * 32, width=9000, height=9000, size=10**6, thumbnail_size=thumbnail)
        for n in range(count)
    ]
    entries = [Entry("q", "user", (Text("What is this?"), *images))]
    found = rescued(entries, Verdict("images"))
    assert found.attempt.report.images_sent == left
    assert all(image.thumbnail for image in found.attempt.request.pictures) == bool(thumbnail or not left)


@pytest.mark.parametrize("kind", ["rate_limit", "quota", "auth", "content_filter", "other"])
def test_what_was_not_refused_for_its_size_is_not_rescued(kind: Any) -> None:
    assert rescue(asked([page("A", 60_000), said("q", "user", "Q")]), Verdict(kind)) is None


def test_pictures_that_were_not_sent_cannot_be_fewer() -> None:
    assert rescue(asked([said("q", "user", "Q")]), Verdict("images")) is None


def test_a_question_that_is_too_large_itself_is_refused_in_words() -> None:
    with pytest.raises(RequestRefused, match="question"):
        rescue(asked([said("q", "user", "word " * 60_000)]), BLIND)


entries_of_all_sizes = st.lists(
    st.builds(page, st.sampled_from("ABCDE"), st.integers(0, 40_000))
    | st.builds(
        said, st.sampled_from("abcde"), st.sampled_from(["user", "assistant"]), st.sampled_from(["x", "y " * 3000])
    ),
    max_size=8,
)
verdicts = st.builds(
    Verdict,
    st.sampled_from(["overflow", "overflow_completion", "payload_bytes", "images"]),
    st.none() | st.integers(100, 50_000),
    st.none() | st.integers(1, 100_000),
    st.none() | st.integers(1, 100_000),
    st.none() | st.integers(0, 50_000),
)


@given(entries=entries_of_all_sizes, verdict=verdicts)
def test_a_rescue_is_strictly_smaller_in_what_was_refused_or_none(entries: list[Entry], verdict: Verdict) -> None:
    named = [replace(entry, message_id=f"{entry.message_id}{index}") for index, entry in enumerate(entries)]
    before = asked([*named, said("question", "user", "The question.")])
    try:
        found = rescue(before, verdict)
    except RequestRefused:
        return
    if found is None:
        return
    after = found.attempt
    smaller_answer = after.request.max_tokens is not None
    smaller_prompt = after.report.estimated_tokens < before.report.estimated_tokens
    fewer_bytes = after.turn.max_bytes < before.turn.max_bytes
    assert smaller_answer or smaller_prompt or fewer_bytes
    assert after.request.entries[-1].text == "The question."
    assert all(entry.characters <= 40_200 and attachment.has_header(entry.text) for entry in found.shortened.values())
