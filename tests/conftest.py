"""What all tests share: hypothesis' settings, and `node --test` files as tests of this same run."""

import logging
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from sidekeep import logs

# No deadline and no complaint about slow drawing: two cores may be busy with a browser meanwhile.
hypothesis.settings.register_profile(
    "shared", deadline=None, max_examples=60, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("shared")

ROOT = Path(__file__).parents[1]
# A new store tells of another one in the usual place, and a developer may have one there.
os.environ["XDG_DATA_HOME"] = str(ROOT / ".sidekeep-dev" / "no-store-here")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """The host's log of this process in a folder of the test's own; gives its text."""
    file = tmp_path / "logs" / "host.log"
    logs.configure(file.parent, "debug")
    yield lambda: file.read_text("utf-8") if file.exists() else ""
    for handler in list(logging.getLogger("sidekeep").handlers):
        logging.getLogger("sidekeep").removeHandler(handler)
        handler.close()
    logs._folder = logs._logger = None


class NodeTests(pytest.File):
    """One `*.test.js` file of the extension."""

    def collect(self) -> Iterator[pytest.Item]:
        yield NodeRun.from_parent(self, name="node")


class NodeRun(pytest.Item):
    """The run of one file by node's own test runner."""

    def runtest(self) -> None:
        answer = subprocess.run(
            # Node 18, which Debian 12 has, hides `crypto` behind a switch; later ones accept it still.
            ["node", "--experimental-global-webcrypto", "--test", "--test-reporter=spec", str(self.path)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        if answer.returncode != 0:
            raise NodeTestError(answer.stdout)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"node --test {self.path.relative_to(ROOT)}"


class NodeTestError(AssertionError):
    """What node's runner printed."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> NodeTests | None:
    """Take the extension's `*.test.js` files."""
    if file_path.name.endswith((".test.js", ".test.mjs")):
        return NodeTests.from_parent(parent, path=file_path)
    return None
