"""Which value counts, and which limit waits."""

from typing import Any

import pytest

from sidekeep.settings.layers import Layered, layer


def _chats(file: int | None = None, panel: int | None = None, in_force: int | None = None) -> Layered:
    given: list[dict[str, Any]] = [
        {} if value is None else {"limits.chats": value} for value in (file, panel, in_force)
    ]
    return layer(*given)


def test_the_file_wins_over_the_panel_and_the_panel_over_the_default() -> None:
    file, panel = {"backup.daily": 1}, {"backup.daily": 2, "backup.weekly": 3}
    layered = layer(file, panel, {})
    settings = layered.settings
    assert (settings.backup_daily, settings.backup_weekly, settings.backup_enabled) == (1, 3, True)
    sources = [layered.source[name] for name in ("backup.daily", "backup.weekly", "backup.enabled")]
    assert sources == ["file", "panel", "default"]


def test_what_a_newer_version_kept_is_passed_over() -> None:
    assert layer({}, {"from.another.version": 1}, {}).settings == layer({}, {}, {}).settings


@pytest.mark.parametrize(
    ("layered", "counts", "waits"),
    [
        (_chats(), 200, None),
        (_chats(file=100), 200, 100),
        (_chats(file=300), 300, None),
        (_chats(file=0), 0, None),
        (_chats(file=100, in_force=100), 100, None),
        (_chats(file=50, in_force=100), 100, 50),
        (_chats(file=150, in_force=100), 150, None),
        (_chats(file=100, in_force=0), 0, 100),
        (_chats(in_force=1000), 1000, 200),
        (_chats(panel=10, in_force=10), 10, None),
        (_chats(panel=10, in_force=100), 100, 10),
        (_chats(file=100, panel=10, in_force=10), 100, None),
    ],
    ids=[
        "nothing is set",
        "lowered in the file",
        "raised in the file",
        "taken away in the file",
        "confirmed",
        "lowered once more",
        "raised after that",
        "lowered from no limit",
        "a key left the file and the default is lower",
        "set by the panel",
        "a key left the file and the panel's is lower",
        "the file raises what the panel set",
    ],
)
def test_a_limit_that_becomes_lower_waits(layered: Layered, counts: int, waits: int | None) -> None:
    assert layered.settings.limit_chats == counts
    assert layered.pending.get("limits.chats") == waits


def test_a_limit_that_became_higher_is_to_be_noted() -> None:
    assert _chats(file=300).raised == {"limits.chats": 300}
    assert _chats(file=300, in_force=300).raised == {}
    assert _chats(file=100).raised == {}


def test_a_limit_that_removes_nothing_does_not_wait() -> None:
    layered = layer({"limits.folders": 1, "archive.expireDays": 1}, {}, {})
    assert layered.settings.limit_folders == 1
    assert layered.pending == {}
