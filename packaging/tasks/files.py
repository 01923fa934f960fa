"""Files that tasks write: whole or not at all, and only when they changed; stamps that say a step is done."""

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path


def write_if_changed(path: Path, text: str) -> bool:
    """Write a text file by way of a neighbour, so that nobody sees half of it. Returns whether it was written."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, encoding="utf-8", newline="\n")
    fresh.replace(path)
    return True


def link_or_copy(source: Path, target: Path) -> None:
    """Give `target` the content of `source`, as a hard link where the file system allows it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(target.name + ".new")
    fresh.unlink(missing_ok=True)
    try:
        os.link(source, fresh)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, fresh)
    fresh.replace(target)


def digest(parts: Iterable[Path | str]) -> str:
    """A SHA-256 over the content of files and over texts, in this order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else part.encode()
        total.update(f"{len(data)}:".encode() + data)
    return total.hexdigest()


class Stamp:
    """Says that a step was done for given inputs. It lies in what the step made, and goes with it.

    Clear it before the work and set it after: a step that was cut short is done again.
    """

    def __init__(self, path: Path, inputs: Iterable[Path | str]) -> None:
        self.path = path
        self._digest = digest(inputs)

    def holds(self) -> bool:
        """Whether the step was finished for these very inputs."""
        return self.path.is_file() and self.path.read_text(encoding="utf-8") == self._digest

    def clear(self) -> None:
        """Say that the step is not done."""
        self.path.unlink(missing_ok=True)

    def set(self) -> None:
        """Say that the step is done."""
        write_if_changed(self.path, self._digest)
