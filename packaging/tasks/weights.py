"""The offline model's weights: fetched and verified by `sidekeep model get`, once, and linked into other homes."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from tasks.files import link_or_copy
from tasks.places import DEV_HOME, HOST_PROGRAM, WEIGHTS, WEIGHTS_BYTES
from tasks.say import TaskError, step

NAME = "Offline model"
OPENMP = "libgomp.so.1"


def ensure() -> None:
    """Have the weights in the checkout's own home, and the library that runs them. Raises TaskError."""
    _check_library()
    if is_there(DEV_HOME):
        step(NAME, "up to date")
        return
    step(NAME, "fetching the weights (98 MB)")
    _fetch()


def _check_library() -> None:
    """llama.cpp's wheel for Linux counts on the compiler's OpenMP library, which a bare system lacks."""
    if not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL(OPENMP)
    except OSError as exc:
        raise TaskError(
            f"The offline model needs the library {OPENMP}: install it (Debian, Ubuntu: apt install libgomp1) and run"
            " this again."
        ) from exc


def _fetch() -> None:
    """Let the host's own command do it. On a terminal it draws a progress bar there, and tells its failure itself."""
    watched = sys.stderr.isatty()
    answer = subprocess.run(
        [HOST_PROGRAM, "model", "get", "--yes"],
        env={**os.environ, "SIDEKEEP_HOME": str(DEV_HOME)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if watched else subprocess.PIPE,
        check=False,
    )
    if answer.returncode != 0:
        lines = (answer.stderr or b"").decode(errors="replace").strip().splitlines()
        said = lines[-1] if lines else "the reason is above."
        raise TaskError(f"The offline model's weights were not fetched: {said}")


def is_there(home: Path) -> bool:
    """Whether a home has the weights. The fetch verifies their checksum and writes them whole, so size is enough here;
    the host checks again before it loads them."""
    path = weights_in(home)
    return path.is_file() and path.stat().st_size == WEIGHTS_BYTES


def weights_in(home: Path) -> Path:
    """Where a home keeps the weights."""
    return home / "models" / WEIGHTS


def share_with(home: Path) -> None:
    """Give another home the checkout's weights, without a second copy where links work."""
    if home != DEV_HOME and not is_there(home):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        link_or_copy(weights_in(DEV_HOME), weights_in(home))
