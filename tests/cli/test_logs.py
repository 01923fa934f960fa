"""`sidekeep logs`: the last lines, and what is added."""

import subprocess
import sys
import threading
from pathlib import Path

from tests.cli.conftest import Sidekeep

WAIT_S = 20


def write(home: Path, text: str) -> Path:
    file = home / "logs" / "host.log"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as log:
        log.write(text)
    return file


def test_the_last_lines(sidekeep: Sidekeep, home: Path) -> None:
    write(home, "".join(f"line {number} ż\n" for number in range(100)))
    assert sidekeep("logs", "-n", "2").stdout == "line 98 ż\nline 99 ż\n"
    assert len(sidekeep("logs").stdout.splitlines()) == 50


def test_no_log_is_no_failure(sidekeep: Sidekeep, home: Path) -> None:
    result = sidekeep("logs")
    assert (result.returncode, result.stdout) == (0, "")
    assert str(home) in result.stderr
    assert sidekeep("logs", "--path").stdout.strip() == str(home / "logs" / "host.log")


def test_following_goes_on_after_the_log_was_turned_over(home: Path) -> None:
    file = write(home, "before\n")
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "sidekeep", "logs", "-f"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    timer = threading.Timer(WAIT_S, child.kill)
    timer.start()
    try:
        assert child.stdout.readline() == "before\n"
        write(home, "added\n")
        assert child.stdout.readline() == "added\n"
        file.replace(file.with_name("host.log.1"))
        write(home, "in the new file\n")
        assert child.stdout.readline() == "in the new file\n"
    finally:
        timer.cancel()
        child.kill()
        child.communicate()
