"""Backups by name and age: what one is called, and which are kept."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal

_NAME = "sidekeep-%Y%m%dT%H%M%SZ.sqlite3"

DAY_MS = 86_400_000

KeptFor = Literal["day", "week"]


def name_of(at_ms: int) -> str:
    """The file name of a backup made at that time; it tells the time in UTC, to the second."""
    return _utc(at_ms).strftime(_NAME)


def time_of(name: str) -> int | None:
    """When the backup of that name was made, in milliseconds; None where it is no backup's name."""
    try:
        parsed = datetime.strptime(name, _NAME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(parsed.timestamp()) * 1000


def in_words(at_ms: int) -> str:
    """A time as people read it, such as `2026-07-23 10:15 UTC`."""
    return _utc(at_ms).strftime("%Y-%m-%d %H:%M UTC")


def day_of(at_ms: int) -> int:
    """The UTC day, as a number that grows by one each day."""
    return at_ms // DAY_MS


def newest_first(times_ms: Iterable[int], now_ms: int) -> list[int]:
    """Times in the order in which they were most likely the case, the latest first.

    What is named after tomorrow was made while the clock was wrong, or the clock is wrong now. Either way what is not was made
    after it: a backup of a day with a wrong year must not be taken for the newest for years.
    """
    return sorted(set(times_ms), key=lambda at_ms: (at_ms <= now_ms + DAY_MS, at_ms), reverse=True)


def retained(times_ms: Iterable[int], *, daily: int, weekly: int, now_ms: int) -> dict[int, KeptFor]:
    """Which backups are kept, and why; all others may go.

    The last of a day for the `daily` latest days that have one; beyond those the last of a week (from Monday on) for `weekly`
    weeks, chosen from what the days left. The latest of all is always kept.
    """
    times = newest_first(times_ms, now_ms)
    kept: dict[int, KeptFor] = {}
    for at_ms in _last_of_each(times, weeks=False)[: max(daily, 1)]:
        kept[at_ms] = "day"
    older_weeks = [at_ms for at_ms in _last_of_each(times, weeks=True) if at_ms not in kept]
    for at_ms in older_weeks[:weekly]:
        kept[at_ms] = "week"
    return kept


def _last_of_each(times: list[int], *, weeks: bool) -> list[int]:
    found: dict[int, int] = {}
    for at_ms in times:
        day = day_of(at_ms)
        found.setdefault((day + 3) // 7 if weeks else day, at_ms)  # 1970 began on a Thursday
    return list(found.values())


def _utc(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)
