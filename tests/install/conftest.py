"""Places to install into."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    answer = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if answer.returncode != 0:
        pytest.skip("this machine lets nobody mount anything")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
