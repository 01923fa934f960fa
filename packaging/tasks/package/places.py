"""Where packages are made, and what they are called."""

import platform
import re
from pathlib import Path

from tasks.places import BUILD, DIST, ROOT

PACKAGES = DIST / "package"
WORK = BUILD / "package"
FROZEN = WORK / "sidekeep"
EXTENSION = WORK / "extension"
LINUX = ROOT / "packaging" / "linux"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def version() -> str:
    """The version, from the one place where it stands."""
    text = (ROOT / "host" / "sidekeep" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    assert found is not None
    return found[1]


def machine() -> str:
    """The kind of processor, as Debian names it."""
    return MACHINES.get(platform.machine(), platform.machine())


def target(name: str) -> Path:
    """A file in dist/package/."""
    return PACKAGES / name
