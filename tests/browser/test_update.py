"""The host is updated while the panel is open: nothing is lost, and the panel says one line."""

from pathlib import Path

from tests.browser.conftest import Person, choose, shot
from tests.browser.model_server import ModelServer
from tests.process.test_update import Copy

from tasks import manifest

STATUS = "document.querySelector('#status').textContent"
DRAFT = "document.querySelector('#composer-input').value"


def test_the_new_version_takes_over_and_says_so(
    person: Person, article: str, model: ModelServer, tmp_path: Path
) -> None:
    copy = Copy(tmp_path)
    browser = person.start(with_manifest=False)
    manifest.install(browser.profile, copy.program)
    panel = person.open(article, browser=browser)
    choose(panel, model)
    panel.send("First")
    panel.wait_answer()
    panel.type("Not yet sent")
    copy.update("99.0")
    panel.page.until(f"{STATUS}.includes('updated to version 99.0')", what="the update to be told")
    shot(panel, "updated")
    panel.wait_state("ready")
    assert panel.page.evaluate(DRAFT) == "Not yet sent"
    panel.send(", now sent")
    panel.wait_shown("user", "Not yet sent, now sent")
    panel.wait_answer()
    assert [shown.role for shown in panel.transcript()] == ["user", "assistant", "user", "assistant"]
