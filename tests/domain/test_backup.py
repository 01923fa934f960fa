"""Names of backups, and which are kept."""

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain.backup import day_of, in_words, name_of, newest_first, retained, time_of

DAY_MS = 86_400_000
# A Thursday, 12:00 UTC.
NOON_MS = int(datetime(2026, 7, 23, 12, tzinfo=UTC).timestamp()) * 1000


def _weekday(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%a")


@given(st.integers(min_value=0, max_value=4_000_000_000_000))
def test_a_name_tells_its_time_to_the_second(at_ms: int) -> None:
    assert time_of(name_of(at_ms)) == at_ms // 1000 * 1000


@pytest.mark.parametrize(
    "name", ["record.json", "unfinished.sqlite3", "sidekeep-20261399T000000Z.sqlite3", "sidekeep.sqlite3"]
)
def test_other_files_are_no_backups(name: str) -> None:
    assert time_of(name) is None


def test_a_name_is_in_utc() -> None:
    assert name_of(NOON_MS) == "sidekeep-20260723T120000Z.sqlite3"
    assert in_words(NOON_MS) == "2026-07-23 12:00 UTC"


def test_after_months_of_daily_backups_there_are_seven_days_and_four_weeks_before_them() -> None:
    there: set[int] = set()
    for day in range(200):
        now = NOON_MS + day * DAY_MS
        there = set(retained(there | {now}, daily=7, weekly=4, now_ms=now))
        if day < 60:
            continue
        days = {now - age * DAY_MS for age in range(7)}
        weeks = sorted(there - days, reverse=True)
        assert days <= there
        assert [_weekday(at_ms) for at_ms in weeks] == ["Sun"] * 4, "each the last of its week"
        assert {newer - older for newer, older in itertools.pairwise(weeks)} == {7 * DAY_MS}
        assert 7 <= day_of(now) - day_of(weeks[0]) < 14, "no gap between the days and the weeks"


def test_of_several_on_one_day_the_last_is_kept() -> None:
    times = [NOON_MS, NOON_MS + 1000, NOON_MS + DAY_MS]
    assert set(retained(times, daily=7, weekly=4, now_ms=times[-1])) == {NOON_MS + 1000, NOON_MS + DAY_MS}


@given(st.lists(st.integers(0, 10**12), min_size=1), st.integers(0, 10), st.integers(0, 10))
def test_never_too_many_and_always_the_newest(times: list[int], daily: int, weekly: int) -> None:
    kept = retained(times, daily=daily, weekly=weekly, now_ms=10**12)
    assert max(times) in kept
    assert list(kept.values()).count("day") <= max(daily, 1)
    assert list(kept.values()).count("week") <= weekly
    assert retained(kept, daily=daily, weekly=weekly, now_ms=10**12) == kept, "pruning once more takes nothing"


def test_a_backup_from_the_future_is_the_oldest_and_the_days_before_it_stay() -> None:
    """The clock was ten years ahead for an hour. Its backup must not be restored in place of tomorrow's, nor push days out."""
    ahead = NOON_MS + 3650 * DAY_MS
    days = [NOON_MS - age * DAY_MS for age in range(7)]
    assert newest_first([ahead, *days], NOON_MS) == [*days, ahead]
    assert set(days) <= set(retained([ahead, *days], daily=7, weekly=0, now_ms=NOON_MS))


def test_a_clock_that_was_put_back_a_year_removes_no_more_than_any_day_does() -> None:
    days = [NOON_MS - age * DAY_MS for age in range(7)]
    back = NOON_MS - 365 * DAY_MS
    assert newest_first([back, *days], back) == [back, *days], "what is made now is the newest"
    assert set(days) - set(retained([back, *days], daily=7, weekly=0, now_ms=back)) == {days[-1]}
