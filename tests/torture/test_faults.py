"""A short part of `build.py torture`: a moment of each fault, by the same code."""

import importlib
import sys

import pytest

from tasks.torture import FAULTS
from tasks.torture.__main__ import shown
from tasks.torture.fault import Outcome, Wish

# Without `guided`, which wants atheris: what it begins from is checked by test_seeds.py.
SHORT = {"kills": 4, "together": 450, "disk": 1, "clock": 1, "reader": 1, "providers": 4, "fuzz": 4000}


@pytest.mark.skipif(sys.platform == "win32", reason="kills, mounts and preloads as Linux and macOS do")
@pytest.mark.parametrize("name", SHORT)
def test_a_moment_of_each_fault_finds_nothing(name: str) -> None:
    outcome: Outcome = importlib.import_module(f"tasks.torture.{name}").run(Wish(SHORT[name], seed=3))
    assert outcome.holds, shown(outcome)
    assert all(outcome.counts.values()), "each of its parts did something"


def test_every_fault_has_a_short_part() -> None:
    assert {*SHORT, "guided"} == {*FAULTS}


def test_what_was_found_is_shown_and_fails() -> None:
    outcome = Outcome("kills", 7, {"kills": 2})
    outcome.find("a message is lost")
    outcome.find("a message is lost")
    assert not outcome.holds
    assert shown(outcome).splitlines() == ["kills: DOES NOT HOLD (seed 7, 0 s): 2 kills", "  found: a message is lost"]
