"""Files that lie in the data home while they are imported or merged, and what a process that was killed has left of them."""

import contextlib
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from sidekeep import paths

# Nothing takes that long.
ABANDONED_S = 86_400


@contextlib.contextmanager
def folder(home: Path) -> Iterator[Path]:
    """A private folder on the store's disk, gone at the end; what was left there before goes first."""
    place = paths.ensure_private(paths.uploads(home))
    sweep(home)
    with tempfile.TemporaryDirectory(dir=place) as made:
        yield Path(made)


def sweep(home: Path, ours: Collection[Path] = ()) -> None:
    """Remove what has lain there for a day, but for `ours`. Never raises."""
    with contextlib.suppress(OSError):
        for path in paths.uploads(home).iterdir():
            with contextlib.suppress(OSError):
                if path not in ours and path.stat().st_mtime < time.time() - ABANDONED_S:
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
