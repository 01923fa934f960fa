"""The shim of shim.c: built where there is a C compiler, and told through a file that both map into memory."""

import errno
import mmap
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")
ERRORS = {"no room": errno.ENOSPC, "a broken disk": errno.EIO}
_WRITES, _FAIL_AT, _FAIL_COUNT, _ERROR, _FAILED, _CLOCK_OFFSET = range(6)
_ENTRY = struct.Struct("=q")


class NoShim(Exception):
    """This machine cannot build or load it; the message says why."""


class Control:
    """What the driver tells the processes that run with `environment`."""

    def __init__(self, folder: Path, library: Path, home: Path) -> None:
        file = folder / "control"
        file.write_bytes(bytes(4096))
        self._file = os.open(file, os.O_RDWR)
        self._memory = mmap.mmap(self._file, 4096)
        self.environment = {
            "LD_PRELOAD": str(library),
            "TORTURE_CONTROL": str(file),
            "TORTURE_FOLDER": str(home.resolve()),
        }

    @property
    def writes(self) -> int:
        """How many writes there were."""
        return self._get(_WRITES)

    @property
    def failed(self) -> int:
        """How many of them failed."""
        return self._get(_FAILED)

    def fail(self, error: int, *, after: int = 0, count: int = 1 << 40) -> None:
        """Let writes fail with an errno from now on: `count` of them, once `after` more have gone well."""
        self._put(_FAIL_AT, 0)
        self._put(_ERROR, error)
        self._put(_FAIL_COUNT, count)
        self._put(_FAIL_AT, self.writes + after + 1)

    def work(self) -> None:
        """Let every write go well again."""
        self._put(_FAIL_AT, 0)

    def shift_clock(self, seconds: int) -> None:
        """Let the wall clock be so far from the real one."""
        self._put(_CLOCK_OFFSET, seconds)

    def close(self) -> None:
        self._memory.close()
        os.close(self._file)

    def _get(self, number: int) -> int:
        return int(_ENTRY.unpack_from(self._memory, number * _ENTRY.size)[0])

    def _put(self, number: int, value: int) -> None:
        _ENTRY.pack_into(self._memory, number * _ENTRY.size, value)


@contextmanager
def controlled(folder: Path, home: Path) -> Iterator[Control]:
    """Build the shim in `folder` and control what happens to `home`. Raises NoShim."""
    control = Control(folder, _built(folder), home)
    try:
        yield control
    finally:
        control.close()


def _built(folder: Path) -> Path:
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        raise NoShim("Failing writes by LD_PRELOAD needs Linux and a C compiler called cc.")
    library = folder / "shim.so"
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-o", library, SOURCE, "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NoShim(f"The shim does not compile here: {done.stderr.strip()[:200]}")
    return library
