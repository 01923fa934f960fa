"""The shared wire cases (../shared/cases/wire.json), played by their own runner against a host with a few test methods."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
CASES = SHARED / "cases" / "wire.json"
WAIT_S = 300

SKIPPED = {
    "over-own-limit-is-drained": "the host has no limit of its own below the 64 MiB of a frame",
    "log-dir-unwritable": "the runner cannot prepare it; tests/process/test_bad_places.py does",
    "store-from-the-future": "the runner cannot prepare it; tests/process/test_bad_places.py does",
}
SOFT = {
    "argv-firefox": "a Firefox manifest path is no extension origin: usage on stderr, exit 0 (PROTOCOL.md, Frames)",
    "argv-none-portal": "without arguments: usage on stderr, exit 0 (PROTOCOL.md, Frames)",
}
LAUNCHER = """\
import os, sys, tempfile
os.environ["SIDEKEEP_HOME"] = tempfile.mkdtemp(dir={homes!r})
program = {program!r}
os.execv(program[0], [*program, *sys.argv[1:]])
"""

Results = dict[str, tuple[str, str]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What became of each case."""
    work = tmp_path_factory.mktemp("wire")
    return play(work, [sys.executable, str(ROOT / "tests" / "wire" / "host.py")])


def play(work: Path, program: Sequence[str]) -> Results:
    """Play all cases against a host; every one has a data home of its own. Two runners share the cases: they mostly wait."""
    launcher = work / "launcher.py"
    launcher.write_text(LAUNCHER.format(homes=str(work), program=list(program)), "utf-8")
    names = [case["id"] for case in json.loads(CASES.read_text("utf-8"))]
    runners = [_runner(work / f"{number}.json", launcher, names[number::2]) for number in range(2)]
    for runner in runners:
        output, _ = runner.communicate(timeout=WAIT_S)
        assert runner.returncode == 0, output
    files = [json.loads((work / f"{number}.json").read_text("utf-8")) for number in range(2)]
    return {name: tuple(found) for file in files for name, found in file.items()}


def _runner(out: Path, launcher: Path, names: list[str]) -> subprocess.Popen[str]:
    command = [
        *(sys.executable, str(SHARED / "tools" / "wire_cases.py"), "--cases", str(CASES)),
        *("--adapter", str(ROOT / "tests" / "wire" / "adapter.json"), "--json", str(out), "--only", ",".join(names)),
        *("--", sys.executable, str(launcher)),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_every_case_is_played(results: Results) -> None:
    assert results.keys() == {case["id"] for case in json.loads(CASES.read_text("utf-8"))}


def test_no_case_fails(results: Results) -> None:
    assert {name: why for name, (outcome, why) in results.items() if outcome == "FAIL"} == {}


def test_what_is_skipped_has_a_reason(results: Results) -> None:
    assert {name for name, (outcome, _) in results.items() if outcome == "SKIP"} == SKIPPED.keys()


def test_what_is_served_softly_has_a_reason(results: Results) -> None:
    assert {name for name, (outcome, _) in results.items() if outcome == "SOFT"} == SOFT.keys()
