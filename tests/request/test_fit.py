"""What gives way, in which order, and where a cut stays."""

import itertools

import pytest

from sidekeep.errors import RequestRefused
from sidekeep.request.fit import NOTHING, OLDER_CHARACTERS, WHOLE, Cut, Fitted, fit, fit_sticky
from sidekeep.request.limits import Size
from sidekeep.request.view import Entry, Image, Text

HEADER = "[Page context attached by sidekeep]\nURL: https://e.org/\nTitle: {}\nMode: full\n---\n\n"


def _characters(entry: Entry) -> Size:
    return Size(entry.characters + 100 * entry.images, 0)


def _asks(name: str, length: int = 10) -> Entry:
    return Entry(name, "user", (Text("q" * length),))


def _answers(name: str, length: int = 10) -> Entry:
    return Entry(name, "assistant", (Text("a" * length),))


def _page(name: str, length: int) -> Entry:
    return Entry(name, "user", (Text(HEADER.format(name) + "p" * length),), attach_id=name)


def _fit(limit: int, *entries: Entry) -> Fitted:
    return fit(entries, _characters, Size(limit, 0))


def _sticky(limit: int, *entries: Entry, last: Cut = WHOLE) -> Fitted:
    return fit_sticky(entries, _characters, Size(limit, 0), NOTHING, last)


def _ids(fitted: Fitted) -> list[str]:
    return [entry.message_id for entry in fitted.entries]


def _forms(fitted: Fitted) -> dict[str, str]:
    return {entry.message_id: entry.shortened for entry in fitted.entries if entry.shortened != "no"}


TALK = (_asks("q1"), _answers("a1", 3_000), _asks("q2"), _answers("a2", 3_000), _asks("q3"))


def test_older_attachments_give_way_before_any_turn_and_only_as_far_as_they_must() -> None:
    fitted = _fit(20_000, _page("old", 9_000), *TALK, _page("new", 9_000), _asks("q4"))
    assert _ids(fitted) == ["old", "q1", "a1", "q2", "a2", "q3", "new", "q4"]
    assert _forms(fitted) == {"old": "cut"}
    assert 19_900 <= fitted.size.tokens <= 20_000


def test_then_the_oldest_turns_go_and_the_newest_attachment_stays_whole_wherever_it_is() -> None:
    fitted = _fit(15_000, _page("old", 9_000), *TALK, _page("new", 9_000), _asks("q4"))
    assert _ids(fitted) == ["q2", "a2", "q3", "new", "q4"]
    assert _forms(fitted) == {}
    fitted = _fit(13_000, _page("only", 9_000), *TALK)
    assert _ids(fitted) == ["only", "q2", "a2", "q3"]
    assert _forms(fitted) == {}


def test_then_the_newest_attachment_is_cut_then_a_line_then_gone() -> None:
    chat = (_asks("q1"), _answers("a1"), _page("new", 9_000), _asks("q2"))
    for limit, ids, forms in (
        (5_000, ["new", "q2"], {"new": "cut"}),
        (200, ["new", "q2"], {"new": "line"}),
        (50, ["q2"], {}),
    ):
        fitted = _fit(limit, *chat)
        assert (_ids(fitted), _forms(fitted)) == (ids, forms)
        assert fitted.size.tokens <= limit


@pytest.mark.parametrize(
    ("entries", "limit", "reason", "words"),
    [
        ((_asks("q", 300),), 200, "does_not_fit", "question is too large"),
        ((Entry("q", "user", (Text("?"), *(Image(url="x"),) * 3)),), 200, "does_not_fit", "pictures are too large"),
        ((Entry("s", "system", (Text("s" * 300),)), _asks("q")), 200, "fixed_part_too_large", "system prompt"),
        ((_answers("a"),), 200, "nothing_to_send", "no question"),
        ((_asks("q"),), 0, "no_budget", "no room"),
    ],
)
def test_a_refusal_names_the_part_and_its_size(entries: tuple[Entry, ...], limit: int, reason: str, words: str) -> None:
    with pytest.raises(RequestRefused) as caught:
        _fit(limit, *entries)
    assert caught.value.reason == reason
    assert words in caught.value.message
    assert reason in ("nothing_to_send", "no_budget") or (str(limit) in caught.value.message)


def test_bytes_are_a_limit_of_their_own() -> None:
    def measure(entry: Entry) -> Size:
        return Size(1, entry.characters)

    fitted = fit(TALK, measure, Size(1_000, 3_500))
    assert _ids(fitted) == ["q2", "a2", "q3"]
    with pytest.raises(RequestRefused, match="bytes"):
        fit([_asks("q", 50)], measure, Size(1_000, 40))


def test_a_short_answer_keeps_its_question_also_in_the_middle_of_a_chat() -> None:
    asked = Entry("a1", "assistant", (Text("Blue or red？"),))
    fitted = _fit(130, _asks("q1", 100), asked, _asks("q2", 5), _answers("a2", 60), _asks("q3", 20))
    assert _ids(fitted) == ["a1", "q2", "a2", "q3"]
    assert fitted.cut.start == "a1"


def _grown(turns: int) -> list[Entry]:
    return [entry for n in range(turns) for entry in (_asks(f"q{n}", 50), _answers(f"a{n}", 50))]


def test_the_sticky_cut_stays_until_the_budget_is_full_again() -> None:
    cut = WHOLE
    starts = []
    for turns in range(5, 60):
        fitted = _sticky(1_000, *_grown(turns), _asks("now"), last=cut)
        cut = fitted.cut
        starts.append(cut.start)
    moves = [one for one, other in itertools.pairwise(starts) if one != other]
    assert len(moves) == pytest.approx(50 / 4, abs=1)  # from 70 % of 1,000 it takes four turns of 100


def test_a_cut_is_given_up_when_there_is_room_for_everything_again() -> None:
    cut = _sticky(1_000, *_grown(20), _asks("now")).cut
    assert cut.start is not None
    assert _sticky(2_100, *_grown(20), _asks("now"), last=cut).cut == cut
    whole = _sticky(10_000, *_grown(20), _asks("now"), last=cut)
    assert (whole.cut, len(whole.entries)) == (WHOLE, 41)


def test_a_cut_whose_message_is_gone_is_made_anew() -> None:
    assert _sticky(1_000, *_grown(20), _asks("now"), last=Cut("deleted")).cut.start == "q14"


def test_a_page_that_is_larger_than_the_window_leaves_room_for_the_talk_about_it() -> None:
    entries: list[Entry] = [_page("page", 50_000)]
    cut, lengths = WHOLE, []
    for turn in range(12):
        entries.append(_asks(f"q{turn}", 100))
        fitted = _sticky(8_000, *entries, last=cut)
        cut = fitted.cut
        lengths.append(fitted.entries[0].own_characters)
        assert _ids(fitted) == [entry.message_id for entry in entries]
        entries.append(_answers(f"a{turn}", 100))
    assert len(set(lengths)) == 1  # cut once, and again in the same place
    assert 5_000 < lengths[0] < 8_000


def test_older_attachments_that_were_cut_stay_cut_in_the_same_place() -> None:
    pages = [entry for n in range(6) for entry in (_page(f"p{n}", 3_000), _asks(f"q{n}"), _answers(f"a{n}"))]
    first = _sticky(16_000, *pages, _asks("now"))
    assert set(_forms(first).values()) == {"cut"}
    cut_pages = [entry for entry in first.entries if entry.shortened == "cut"]
    assert all(entry.own_characters == OLDER_CHARACTERS for entry in cut_pages)
    second = _sticky(16_000, *pages, _asks("now"), _answers("then"), _asks("next"), last=first.cut)
    assert second.entries[: len(first.entries)] == first.entries
    assert second.cut == first.cut
