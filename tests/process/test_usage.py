"""Started by somebody who is no browser: usage on stderr, nothing on stdout, status 0."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.host import PROGRAM

ARGUMENTS: dict[str, list[str]] = {
    "no arguments": [],
    "no command": ["frobnicate"],
    "a Firefox manifest": ["/home/somebody/.mozilla/native-messaging-hosts/dev.sidekeep.host.json", "x@example.org"],
    "a web origin": ["https://example.org/"],
}


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_usage_goes_to_stderr_and_nothing_to_stdout(arguments: list[str], tmp_path: Path) -> None:
    ran = subprocess.run([*PROGRAM, *arguments], input=b"", capture_output=True, timeout=60, check=False)
    assert ran.returncode == 0
    assert ran.stdout == b""
    assert b"usage: sidekeep" in ran.stderr


def test_the_module_and_the_program_are_one(tmp_path: Path) -> None:
    version = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    program = Path(sys.executable).with_name("sidekeep")
    assert subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout == version
