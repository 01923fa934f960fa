"""SHA256SUMS, as `sha256sum --check` reads it."""

import hashlib
from pathlib import Path

from tasks.package.places import PACKAGES

NAME = "SHA256SUMS"


def write() -> Path:
    """Write the sums of every other file in dist/package/."""
    made = PACKAGES / NAME
    files = sorted(path for path in PACKAGES.iterdir() if path != made)
    lines = [f"{_sum(path)}  {path.name}\n" for path in files]
    made.write_text("".join(lines), encoding="utf-8", newline="\n")
    return made


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
