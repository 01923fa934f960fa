"""A host that crashes leaves its place in one file, and no words."""

import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from tests.support.host import RunningHost
from tests.support.waiting import wait_until

from sidekeep import logs

WAIT_S = 60


def wait_for(file: Path) -> None:
    """Until the host notes crashes, which it begins to do in the first quiet moment."""
    wait_until(file.exists, f"{file} did not come")


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_a_fault_in_native_code_leaves_every_threads_place(host: RunningHost, home: Path) -> None:
    file = home / "logs" / "crash.txt"
    wait_for(file)
    assert file.read_bytes() == b""
    os.kill(host.process.pid, signal.SIGSEGV)
    assert host.process.wait(WAIT_S) == -signal.SIGSEGV
    text = file.read_text("utf-8")
    assert "Segmentation fault" in text
    assert "dispatcher.py" in text or "stdio.py" in text or "connection.py" in text
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_exception_of_a_thread_leaves_its_kind_and_place_and_not_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import faulthandler

    for module, name in ((sys, "excepthook"), (threading, "excepthook")):
        monkeypatch.setattr(module, name, getattr(module, name))
    was_enabled = faulthandler.is_enabled()
    file = tmp_path / "logs" / "crash.txt"
    logs.note_crashes(file)
    try:

        def fail() -> None:
            raise ValueError("somebody's " + "words")

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    finally:
        faulthandler.enable() if was_enabled else faulthandler.disable()
    text = file.read_text("utf-8")
    assert "ValueError" in text
    assert "test_crash.py" in text
    assert "somebody's words" not in text
