"""The host's log: its owner's alone, bounded, without what exceptions say."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sidekeep import logs


def test_an_unexpected_exception_is_logged_by_type_and_place_without_its_words(log: Callable[[], str]) -> None:
    text = "somebody's text"
    try:
        raise ValueError(text.upper())
    except ValueError as exc:
        entry = logs.unexpected("history.append", exc)
    assert entry in log()
    assert "unexpected ValueError in history.append" in log()
    assert "test_logs.py" in log()
    assert text.upper() not in log()


def test_a_log_that_is_full_is_turned_over_and_stays_its_owners(
    log: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MAX_BYTES", 500)
    for number in range(100):
        logs.info("record %d", number)
    files = sorted((tmp_path / "logs").iterdir())
    assert len(files) == 1 + logs.BACKUPS
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert sum(file.stat().st_size for file in files) <= 500 * (1 + logs.BACKUPS)
    assert "record 99" in log()


def test_what_cannot_be_encoded_does_not_stop_the_log(log: Callable[[], str]) -> None:
    logs.info("%s", "\ud800")
    logs.info("after")
    assert "after" in log()


def test_the_level_is_obeyed(log: Callable[[], str], tmp_path: Path) -> None:
    logs.configure(tmp_path / "logs", "warning")
    logs.info("not this")
    logs.warning("but this")
    assert "not this" not in log()
    assert "but this" in log()
