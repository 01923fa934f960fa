"""Another version is installed while a host runs: it finishes, leaves by itself, and the next one is the new version's."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from tests.browser.model_server import ModelServer
from tests.support.host import RunningHost
from tests.support.turns import ask_halfway, choose, stored_messages
from tests.support.waiting import wait_until

import sidekeep

WAIT_S = 60


class Copy:
    """A copy of the host's sources, installed as pip would: an update writes into its place."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "site" / "sidekeep"
        shutil.copytree(Path(sidekeep.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        self.program = folder / "bin" / "sidekeep"
        self.program.parent.mkdir()
        self.program.write_text(
            f'#!/bin/sh\nPYTHONPATH="{folder / "site"}" exec {sys.executable} -P -m sidekeep "$@"\n', "utf-8"
        )
        self.program.chmod(0o755)

    def update(self, version: str) -> None:
        """Install another version."""
        file = self.package / "__init__.py"
        fresh = file.with_suffix(".new")
        fresh.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', file.read_text("utf-8")), "utf-8")
        fresh.replace(file)


def noticed(host: RunningHost) -> None:
    """Until the host knows of the new version."""
    wait_until(lambda: "another version was installed" in host.log(), "the update was not noticed")


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_an_idle_host_leaves_and_the_next_is_the_new_version(copy: Copy, home: Path) -> None:
    with RunningHost(home, program=(str(copy.program),)) as host:
        assert host.hello()["version"] == sidekeep.__version__
        host.request("history.append", message={"role": "user", "content": "kept"})
        copy.update("99.0")
        assert host.process.wait(WAIT_S) == 0
    with RunningHost(home, program=(str(copy.program),)) as host:
        assert host.hello()["version"] == "99.0"
        assert [message["content"] for message in stored_messages(host)] == ["kept"]


def test_an_answer_that_is_under_way_is_finished_first(copy: Copy, home: Path, model: ModelServer) -> None:
    with RunningHost(home, program=(str(copy.program),)) as host:
        host.hello()
        choose(host, model)
        ask_halfway(host, model, "Well?")
        copy.update("99.0")
        noticed(host)
        assert host.process.poll() is None
        model.gate.set()
        done = host.event("turn.done")
        assert done["message"]["content"].strip() == model.answer
        assert not done["message"].get("interrupted")
        assert host.process.wait(WAIT_S) == 0
