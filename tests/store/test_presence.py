"""Who has the store open, and the gate that each passes on its way in (store/presence.py)."""

from pathlib import Path

import pytest

from sidekeep import paths
from sidekeep.errors import StoreBusy
from sidekeep.store import opening, presence
from sidekeep.store.opening import StoreFile, opened


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_who_is_dead_holds_nothing(home: Path) -> None:
    with opened(home, role="test"):
        pass
    locks = paths.locks(home)
    left = locks / "open-999999-1-0.host.lock"
    left.touch()
    with presence.gate(locks, alone=True, timeout_s=1):
        assert presence.holders(locks) == []
    assert not left.exists()


def test_the_gate_lets_many_in_and_one_alone(home: Path) -> None:
    locks = paths.locks(home)

    def is_open(*, alone: bool) -> bool:
        try:
            with presence.gate(locks, alone=alone, timeout_s=0.05):
                return True
        except StoreBusy:
            return False

    with presence.gate(locks, alone=False, timeout_s=1):
        assert (is_open(alone=False), is_open(alone=True)) == (True, False)
    with presence.gate(locks, alone=True, timeout_s=1):
        assert (is_open(alone=False), is_open(alone=True)) == (False, False)
    assert is_open(alone=True)


def test_an_opening_waits_at_the_gate_and_is_told_where_that_is_too_long(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "GATE_TIMEOUT_S", 0.05)
    with (
        presence.gate(paths.locks(home), alone=True, timeout_s=1),
        pytest.raises(StoreBusy, match="putting the store right"),
    ):
        StoreFile(home).open()
    with opened(home, role="test"):
        pass
