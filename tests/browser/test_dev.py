"""`build.py dev`: an edit is built, and extension, host and panel begin anew with it."""

import json
import shutil
from pathlib import Path

import pytest
from tests.browser.conftest import Person

from tasks import browsers, dev, dist, manifest, venv
from tasks.browser import Browser
from tasks.panel import Panel
from tasks.places import EXTENSION
from tasks.say import TaskError


def test_an_edit_of_the_extension_is_taken_over_with_a_new_host(
    person: Person, article: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "extension"
    shutil.copytree(EXTENSION, sources)
    for module in (dist, dev):
        monkeypatch.setattr(module, "EXTENSION", sources)
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(dist, "TARGET", tmp_path / "dist" / "extension")
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.md"):
        (tmp_path / name).touch()
    environment = {"SIDEKEEP_HOME": str(person.home)}
    with Browser(browsers.find(None), dist.build(), headless=True, environment=environment) as browser:
        manifest.install(browser.profile)
        browser.start()
        page = browser.open(article)
        Panel(browser.open_panel(page)).wait_state("ready")
        (before,) = person.host_pids()
        edited = sources / "_locales" / "en" / "messages.json"
        texts = json.loads(edited.read_text("utf-8"))
        texts["statusNoWeights"]["message"] = "edited"
        edited.write_text(json.dumps(texts), "utf-8")
        panel = dev.take_over({edited}, browser, page)
        assert panel is not None
        panel.until("document.querySelector('#status')?.textContent === 'edited'", what="the edited text")
        assert set(person.host_pids()) - {before}, "the panel speaks with a new host"


def test_a_mistake_is_told_and_the_panel_stays(
    person: Person, article: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise TaskError("Compiling the host failed: see what it said.")

    monkeypatch.setattr(venv, "compile_host", fails)
    browser = person.start()
    page = browser.open(article)
    assert dev.take_over({dev.HOST / "app.py"}, browser, page) is None
    assert "Compiling the host failed" in capsys.readouterr().err
