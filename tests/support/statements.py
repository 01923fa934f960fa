"""Ending a process at every SQL statement of an operation: SIGKILL, so that nothing of it gets to run again."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.stores import open_services

from sidekeep.service.services import Services


def cut_at_every_statement(
    scratch: Path,
    prepare: Callable[[Path], object],
    operation: Callable[[Services], Any],
    check: Callable[[Path], None],
) -> int:
    """Run `operation` on copies of one prepared data home, each time killed one statement later, and `check` what is left.

    Returns how many statements the operation has. The last copy, on which it ran through, is checked too.
    """
    prepared = scratch / "prepared"
    prepare(prepared)
    for stop_at in range(100_000):
        home = scratch / f"cut at {stop_at}"
        shutil.copytree(prepared, home)
        was_killed = _killed(home, operation, stop_at)
        check(home)
        shutil.rmtree(home)
        if not was_killed:
            return stop_at
    raise AssertionError("the operation does not end")


def _killed(home: Path, operation: Callable[[Services], Any], stop_at: int) -> bool:
    """Whether the child was killed at that statement; False where it had fewer and ended by itself."""
    pid = os.fork()
    if pid == 0:
        _run_to(home, operation, stop_at)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the operation failed"
    return os.WIFSIGNALED(status)


def _run_to(home: Path, operation: Callable[[Services], Any], stop_at: int) -> None:
    code = 1
    try:
        with open_services(home) as services:
            count = 0

            def trace(_cursor: Any, _sql: str, _bindings: object) -> bool:
                nonlocal count
                if count == stop_at:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1
                return True

            services.database.connection().exec_trace = trace
            operation(services)
            code = 0
    finally:
        os._exit(code)  # the child is a copy of pytest: it must not go on as one
