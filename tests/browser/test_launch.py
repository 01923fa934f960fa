"""How the extension gets into a browser."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tasks import browsers
from tasks.browser import Browser
from tasks.browsers import Program
from tasks.places import EXTENSION
from tasks.say import TaskError


@pytest.fixture
def branded() -> Program:
    """The browser of this machine, taken for one that ignores --load-extension."""
    program = replace(browsers.find(None), name="Google Chrome", major=156)
    assert not program.takes_switch
    return program


@pytest.mark.parametrize(
    ("name", "major", "takes"),
    [
        ("Chromium", 156, True),
        ("Google Chrome for Testing", 156, True),
        ("Microsoft Edge", 156, True),
        ("Google Chrome", 136, True),
        ("Google Chrome", 137, False),
        ("Google Chrome", 156, False),
    ],
)
def test_branded_chrome_ignores_the_switch_since_137(name: str, major: int, *, takes: bool) -> None:
    assert Program(Path("/x"), name, major).takes_switch is takes


def test_branded_chrome_gets_the_extension_over_the_devtools_pipe(branded: Program, tmp_path: Path) -> None:
    with Browser(branded, EXTENSION, headless=True, profile=tmp_path / "profile") as browser:
        browser.start()
        assert browser.worker()["type"] == "service_worker"


def test_a_browser_that_takes_it_neither_way_is_told_in_one_sentence(branded: Program, tmp_path: Path) -> None:
    with (
        Browser(branded, tmp_path / "no-extension", headless=True, profile=tmp_path / "profile") as browser,
        pytest.raises(TaskError, match=r"use Chromium or Chrome for Testing"),
    ):
        browser.start()


def test_a_profile_that_was_made_goes_and_one_that_was_given_stays(tmp_path: Path) -> None:
    program = browsers.find(None)
    with Browser(program, EXTENSION, headless=True) as made:
        made.start()
    with Browser(program, EXTENSION, headless=True, profile=tmp_path / "kept") as kept:
        kept.start()
    assert not made.profile.exists()
    assert (tmp_path / "kept" / "Default").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="the lock is a symlink elsewhere")
def test_a_profile_in_use_is_told(tmp_path: Path) -> None:
    program = browsers.find(None)
    with Browser(program, EXTENSION, headless=True, profile=tmp_path) as first:
        first.start()
        second = Browser(program, EXTENSION, headless=True, profile=tmp_path)
        with second, pytest.raises(TaskError, match="Another browser uses the profile"):
            second.start()
