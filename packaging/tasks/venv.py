"""The virtual environment in .venv: the locked packages, and Sidekeep itself as editable."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tasks import programs
from tasks.files import Stamp
from tasks.places import HOST_PROGRAM, ROOT, VENV, VENV_PYTHON
from tasks.say import TaskError, step

LOCK = ROOT / "requirements-dev.lock"
HOST_PACKAGE = ROOT / "host" / "sidekeep"
VERSION_FILE = HOST_PACKAGE / "__init__.py"
NAME = "Python packages"
RECIPE = "1"  # raise it when the steps below change


def ensure() -> None:
    """Make .venv hold what the lock says. Raises TaskError."""
    _check_modules()
    stamp = Stamp(VENV / "sidekeep-stamp", [LOCK, ROOT / "pyproject.toml", VERSION_FILE, RECIPE])
    healthy = is_healthy()
    if healthy and stamp.holds() and holds_lock():
        step(NAME, "up to date")
        compile_host()
        return
    if os.path.lexists(VENV) and not healthy:
        step(NAME, ".venv is damaged: making it anew")
        _remove()
    if not VENV.exists():
        step(NAME, "making .venv")
        programs.run([sys.executable, "-m", "venv", VENV], task="Making the virtual environment")
    stamp.clear()
    step(NAME, "installing from requirements-dev.lock (a minute or two the first time)")
    _pip("install", "--require-hashes", "-r", str(LOCK))
    _pip("install", "--no-deps", "--no-build-isolation", "-e", str(ROOT))
    stamp.set()
    compile_host()


def compile_host() -> None:
    """Compile the host to byte code. Raises TaskError, which names the log with the line that is wrong."""
    # The browser starts the host again and again. Where PYTHONDONTWRITEBYTECODE is set no start would leave byte code
    # behind, and each would compile 50 modules anew: 35 ms of 80.
    programs.run([VENV_PYTHON, "-I", "-m", "compileall", "-q", HOST_PACKAGE], task="Compiling the host")


def _remove() -> None:
    # Somebody may share one environment between checkouts by a link; what it points to is not ours to delete.
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    else:
        shutil.rmtree(VENV)


def _check_modules() -> None:
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        raise TaskError(
            f"This Python lacks its module {missing[0]}: install it (Debian, Ubuntu: apt install python3-venv) and run"
            " this again."
        )


def _pip(*arguments: str) -> None:
    quiet = ("--disable-pip-version-check", "--no-input", "--no-warn-script-location")
    programs.run([VENV_PYTHON, "-I", "-m", "pip", *arguments, *quiet], task="Installing the Python packages")


def is_healthy() -> bool:
    """Whether the environment's Python starts and finds pip; a moved checkout or an upgraded Python breaks it."""
    probe = "import pip, sys; print(sys.version_info[:2] >= (3, 11))"
    try:
        answer = subprocess.run(
            [VENV_PYTHON, "-I", "-c", probe], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and answer.stdout.strip() == "True"


def holds_lock() -> bool:
    """Whether every locked package of this platform is there in its locked version, and the host's program.

    Packages with a condition are skipped: pip judged those when it installed.
    """
    wanted = re.findall(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+) \\$", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    there = {key(folder.name.removesuffix(".dist-info")) for folder in site_packages().glob("*.dist-info")}
    return HOST_PROGRAM.exists() and all(key(f"{name}-{version}") in there for name, version in wanted)


def key(text: str) -> str:
    """A package's name (or name-version) in its normalised form."""
    return re.sub(r"[-_.]+", "-", text).lower()


def site_packages() -> Path:
    """Where .venv keeps its packages; .venv itself while there are none."""
    if sys.platform == "win32":
        return VENV / "Lib" / "site-packages"
    return next(iter(sorted((VENV / "lib").glob("python3*/site-packages"))), VENV)
