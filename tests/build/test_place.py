"""packaging/linux/place.sh: a version takes over from another one that still runs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.places import ROOT

SCRIPT = ROOT / "packaging" / "linux" / "place.sh"
Place = Callable[[str], None]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux' packages use it")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Places a version: its program is a copy of `cat`, which runs until its input ends."""

    def run(version: str) -> None:
        source = tmp_path / f"unpacked {version}"
        (source / "_internal").mkdir(parents=True, exist_ok=True)
        shutil.copy("/bin/cat", source / "sidekeep")
        (source / "_internal" / "version").write_text(version)
        target, link = tmp_path / "lib żółw", tmp_path / "bin" / "sidekeep"
        subprocess.run(["sh", SCRIPT, source, target, version, link, "tar"], check=True, capture_output=True)

    return run


def versions(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "lib żółw").iterdir())


def current(tmp_path: Path) -> str:
    return ((tmp_path / "bin" / "sidekeep").resolve().parent / "_internal" / "version").read_text()


def test_an_idle_version_goes_with_the_next(place: Place, tmp_path: Path) -> None:
    place("1.0")
    place("1.1")
    assert (versions(tmp_path), current(tmp_path)) == (["1.1"], "1.1")
    note = (tmp_path / "lib żółw" / "1.1" / "installed-from").read_text()
    assert note == f"tar {tmp_path / 'bin' / 'sidekeep'}\n"


def test_a_version_that_runs_keeps_its_files_until_the_update_after(place: Place, tmp_path: Path) -> None:
    place("1.0")
    running = subprocess.Popen([tmp_path / "bin" / "sidekeep"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert running.stdin is not None
    try:
        place("1.1")
        assert (versions(tmp_path), current(tmp_path)) == (["1.0", "1.1"], "1.1")
        assert (tmp_path / "lib żółw" / "1.0" / "_internal" / "version").read_text() == "1.0"
    finally:
        running.stdin.close()
        running.wait(10)
    place("1.2")
    assert versions(tmp_path) == ["1.2"]


def test_the_same_version_again_replaces_it(place: Place, tmp_path: Path) -> None:
    place("1.0")
    before = os.stat((tmp_path / "bin" / "sidekeep").resolve()).st_ino
    place("1.0")
    assert (versions(tmp_path), current(tmp_path)) == (["1.0"], "1.0")
    assert before != 0
