"""`build.py run --headless`, from the command line to the line of JSON."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.browser.conftest import Person, choose
from tests.browser.model_server import ModelServer

ROOT = Path(__file__).parents[2]
TITLE = "How the Harbour Lighthouse of Vell Came to Blink Twice"
FIELDS = ["ok", "answer", "provider", "model", "page", "store", "messages", "first_token_ms"]
COMMAND = [sys.executable, "build.py", "run", "--headless", "--page", "tests/fixtures/article.html"]
ASK = ["--ask", "Who cut the second opening?", "--json"]


def run(home: Path) -> subprocess.CompletedProcess[str]:
    """Run it on a data home."""
    return subprocess.run(
        [*COMMAND, *ASK],
        cwd=ROOT,
        env={**os.environ, "SIDEKEEP_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.mark.model
def test_a_question_about_a_file_is_answered_by_the_offline_model(home: Path) -> None:
    answer = run(home)
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout.splitlines()[-1])
    assert list(report) == FIELDS
    assert report["ok"] is True
    assert report["answer"].strip()
    assert report["provider"] == "offline"
    assert report["page"]["title"] == TITLE
    assert report["page"]["chars"] > 1000
    assert report["store"] == str(home / "sidekeep.sqlite3")
    assert Path(report["store"]).is_file()
    assert report["messages"] == 3
    assert report["first_token_ms"] > 0
    assert report["answer"].split()[0] in answer.stdout.splitlines()[0], "the answer was printed as it came"


def test_a_chosen_model_is_asked_and_named(person: Person, article: str, model: ModelServer, home: Path) -> None:
    browser = person.start()
    choose(person.open(article, browser=browser), model)
    browser.close()
    report = json.loads(run(home).stdout.splitlines()[-1])
    assert (report["answer"], report["provider"], report["model"]) == (model.answer, "test", "tiny")


def test_a_failure_is_told_as_the_panel_tells_it(person: Person, article: str, model: ModelServer, home: Path) -> None:
    browser = person.start()
    choose(person.open(article, browser=browser), model)
    browser.close()
    model.status = 401
    answer = run(home)
    report = json.loads(answer.stdout.splitlines()[-1])
    assert answer.returncode == 1
    assert list(report) == ["ok", "error"]
    assert report["ok"] is False
    assert report["error"] in answer.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_run_that_is_ended_leaves_no_browser_and_no_profile(
    person: Person, article: str, model: ModelServer, home: Path
) -> None:
    browser = person.start()
    choose(person.open(article, browser=browser), model)
    browser.close()
    model.gate.clear()
    # Short, because Chromium makes a socket in it.
    with tempfile.TemporaryDirectory(prefix="sk-") as temporary:
        environment = {**os.environ, "SIDEKEEP_HOME": str(home), "TMPDIR": temporary}
        child = subprocess.Popen([*COMMAND, *ASK], cwd=ROOT, env=environment, stderr=subprocess.PIPE)
        assert model.halfway.wait(60)
        assert list(Path(temporary).glob("sidekeep-profile-*"))
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=30)
        assert not list(Path(temporary).glob("sidekeep-profile-*"))
    assert child.returncode == 130
    assert b"Traceback" not in said
    assert person.host_pids() == []
