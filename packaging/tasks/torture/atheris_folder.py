"""atheris, which has a fuzzer choose its inputs by the code that they reach, in a folder of its own that nothing else uses.

It is no package of `.venv`: 35 MB, and there are builds for CPython 3.11 to 3.13 on Linux x86-64 only.
"""

import shutil

from tasks import programs
from tasks.files import Stamp
from tasks.places import BUILD, ROOT, VENV_PYTHON
from tasks.say import TaskError, say, step

# The hashes are those of all wheels of that version (`pip download --no-deps --python-version … atheris`).
LOCK = ROOT / "packaging" / "atheris.lock"
FOLDER = BUILD / "atheris"
MISSING = (
    "atheris is not installed: it is built for CPython 3.11 to 3.13 on Linux x86-64 (`build.py torture` installs it)"
)
NAME = "atheris"


def ensure() -> None:
    """Install what the lock says. Where that cannot be done it is said, and the torture goes on without it."""
    if is_there():
        step(NAME, "up to date")
        return
    step(NAME, "installing from packaging/atheris.lock")
    shutil.rmtree(FOLDER, ignore_errors=True)
    quiet = ("--disable-pip-version-check", "--no-input", "--only-binary", ":all:")
    command = (VENV_PYTHON, "-I", "-m", "pip", "install", "--require-hashes", "-r", LOCK, "--target", FOLDER, *quiet)
    try:
        programs.run(command, task="Installing atheris")
    except TaskError as exc:
        shutil.rmtree(FOLDER, ignore_errors=True)
        say(f"  {exc}")
    else:
        Stamp(FOLDER / "stamp", [LOCK]).set()


def is_there() -> bool:
    """Whether it has been installed."""
    return Stamp(FOLDER / "stamp", [LOCK]).holds()
