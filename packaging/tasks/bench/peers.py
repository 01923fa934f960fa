"""`--peers`: other programs' libraries that `build` is measured beside, in an environment of their own that nothing else uses."""

import shutil
import sys
from pathlib import Path

from tasks import programs
from tasks.files import Stamp
from tasks.places import BUILD, ROOT
from tasks.say import TaskError, say, step

# Made by: uv pip compile --universal --generate-hashes --no-emit-index-url --python-version 3.11 --no-header --no-annotate
#          packaging/bench-peers.in -o packaging/bench-peers.lock
LOCK = ROOT / "packaging" / "bench-peers.lock"
FOLDER = BUILD / "bench-peers"
PYTHON = FOLDER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
MISSING = "LangChain and LiteLLM: they are not installed (`bench --peers` installs them: 300 MB)"
NAME = "The bench's peers"


def ensure() -> None:
    """Install what the lock says. Where that cannot be done it is said, and the bench goes on without them."""
    stamp = Stamp(FOLDER / "stamp", [LOCK])
    if stamp.holds() and PYTHON.exists():
        step(NAME, "up to date")
        return
    step(NAME, "installing from packaging/bench-peers.lock (a minute or two the first time)")
    try:
        _install()
    except TaskError as exc:
        shutil.rmtree(FOLDER, ignore_errors=True)
        say(f"  {exc}")
    else:
        stamp.set()


def are_there() -> bool:
    """Whether they have been installed."""
    return Stamp(FOLDER / "stamp", [LOCK]).holds() and PYTHON.exists()


def _install() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    programs.run([sys.executable, "-m", "venv", FOLDER], task="Making the peers' environment")
    quiet = ("--disable-pip-version-check", "--no-input", "--no-warn-script-location")
    install: list[str | Path] = [PYTHON, "-I", "-m", "pip", "install", "--require-hashes", "-r", LOCK, *quiet]
    programs.run(install, task="Installing the bench's peers")
