"""A real Chromium finds the host after `sidekeep install`, and no longer after `sidekeep uninstall`."""

import json
import os
from pathlib import Path

import pytest
from tests.browser.conftest import Person

from tasks.browser import Browser
from tasks.panel import Panel
from tasks.places import HOST_PROGRAM

SYSTEM = Path("/etc/chromium/native-messaging-hosts/dev.sidekeep.host.json")


def panel_of(browser: Browser, article: str) -> Panel:
    return Panel(browser.open_panel(browser.open(article)))


def test_a_profile_directory(person: Person, article: str, tmp_path: Path) -> None:
    profile = tmp_path / "profiles" / "profile"
    person.sidekeep("install", "--user-data-dir", str(profile), "--allow-extension", "b" * 32)
    browser = person.start(with_manifest=False)
    panel = panel_of(browser, article)
    panel.wait_state("ready")
    browser.close()
    person.sidekeep("uninstall", "--user-data-dir", str(profile))
    panel_of(person.start(with_manifest=False), article).wait_state("no-host")


@pytest.mark.skipif(os.geteuid() != 0, reason="writes into /etc")
def test_the_whole_machine(person: Person, article: str) -> None:
    if SYSTEM.exists():
        pytest.skip(f"{SYSTEM} is somebody's")
    there = [folder for folder in SYSTEM.parents if folder.exists()]
    try:
        person.sidekeep("install", "--system", "--browser", "chromium")
        assert json.loads(SYSTEM.read_text("utf-8"))["path"] == str(HOST_PROGRAM)
        panel_of(person.start("first", with_manifest=False), article).wait_state("ready")
    finally:
        person.sidekeep("uninstall", "--system")
    assert [folder for folder in SYSTEM.parents if folder.exists()] == there
    panel_of(person.start("second", with_manifest=False), article).wait_state("no-host")
