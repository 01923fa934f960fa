"""What is done to the store as a whole: each command's time, processor time and memory, and the size of what it makes."""

import os
import subprocess
import time
from pathlib import Path

from tasks.places import HOST_PROGRAM, ROOT, VENV_PYTHON
from tasks.say import TaskError
from tasks.simulate.growth import Measured


def measure(home: Path) -> Measured:
    """Seconds and MB. Each is done once: they take long where it matters. Raises TaskError."""
    store = home / "sidekeep.sqlite3"
    figures: Measured = {"store": _mb(store)}
    figures |= _run("backup", home, HOST_PROGRAM, "backup", "now")
    copies = list((home / "backups").glob("*.sqlite3"))
    figures["backup"] = sum(map(_mb, copies))
    for copy in copies:
        copy.unlink()
    figures |= _run("check", home, HOST_PROGRAM, "store", "check")
    target = home / "export.json"
    figures |= _run("export", home, HOST_PROGRAM, "export", "--to", str(target))
    figures["export"] = _mb(target)
    target.unlink()
    figures |= _run("index anew", home, VENV_PYTHON, "-m", "tasks.simulate.migrate", str(store))
    return figures


def _run(name: str, home: Path, *command: Path | str) -> Measured:
    """One command on the store in `home`, to its end."""
    environment = {**os.environ, "SIDEKEEP_HOME": str(home), "PYTHONPATH": str(ROOT / "packaging")}
    started = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        assert child.stdout is not None
        said = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise TaskError(f"`{' '.join(map(str, command[1:]))}` failed: {said.decode(errors='replace').strip()}")
    return {
        f"{name}, time": time.perf_counter() - started,
        f"{name}, processor": used.ru_utime + used.ru_stime,
        f"{name}, memory": used.ru_maxrss / 1000,
    }


def _mb(file: Path) -> float:
    return file.stat().st_size / 1e6
