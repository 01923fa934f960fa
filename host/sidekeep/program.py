"""The program that a browser starts, how it came to this machine, and the command that updates it."""

import json
import re
import shlex
import sys
import sysconfig
from pathlib import Path
from typing import Literal

from sidekeep import __version__

Kind = Literal["deb", "tar", "checkout", "pipx", "uv", "pip"]

# What a frozen host was unpacked from, and the link to it, is noted beside it when it is placed (packaging/linux/place.sh).
ORIGIN_FILE = "installed-from"

ROOT = Path(__file__).parents[2]

# A checkout is updated in its folder, whichever one a person is in.
UPDATES: dict[Kind, str] = {
    "deb": "sudo apt install ./sidekeep_*.deb",
    "tar": "./sidekeep*/install.sh",
    "checkout": f"cd {shlex.quote(str(ROOT))} && git pull && python3 build.py setup",
    "pipx": "pipx upgrade sidekeep",
    "uv": "uv tool upgrade sidekeep",
    "pip": "python -m pip install --upgrade sidekeep",
}


def is_frozen() -> bool:
    """Whether this is PyInstaller's program rather than a Python environment's."""
    return bool(getattr(sys, "frozen", False))


def program() -> Path:
    """The program by which this very installation is started, absolute. A frozen one is known by a link that outlives updates."""
    if is_frozen():
        link = _note()[1]
        return link if link is not None and link.resolve() == Path(sys.executable) else Path(sys.executable)
    name = "sidekeep.exe" if sys.platform == "win32" else "sidekeep"
    return Path(sysconfig.get_path("scripts")).absolute() / name


def kind() -> Kind:
    """How this installation was made."""
    if is_frozen():
        return _note()[0]
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        return "pipx"
    if "uv" in parts and "tools" in parts:
        return "uv"
    return "checkout" if _is_editable() else "pip"


def update_command() -> str:
    """What a person runs to have the newest host."""
    return UPDATES[kind()]


def extension_command() -> str:
    """What a person runs to have the extension that belongs to this host, to be loaded or reloaded in the browser."""
    if kind() == "checkout":
        return f"cd {shlex.quote(str(ROOT))} && python3 build.py extension"
    return "sidekeep extension"


def is_replaced() -> bool:
    """Whether another version is now where this one was installed. False while it is half there."""
    if is_frozen():
        link = _note()[1]
        return link is not None and link.exists() and link.resolve() != Path(sys.executable)
    try:
        found = re.search(
            r'^__version__ = "(.+)"', Path(__file__).with_name("__init__.py").read_text("utf-8"), re.MULTILINE
        )
    except OSError:
        return False
    return found is not None and found[1] != __version__


def extension_folder() -> Path | None:
    """The built extension that came with this installation; None where there is none."""
    if is_frozen():
        folder = Path(sys.executable).parent / "extension"
    else:
        packaged = Path(__file__).parent / "extension"
        folder = packaged if packaged.is_dir() else ROOT / "dist" / "extension"
    return folder if (folder / "manifest.json").is_file() else None


def _note() -> tuple[Kind, Path | None]:
    """What a frozen program was unpacked from, and the link by which people and browsers start it."""
    try:
        kind, _, link = (Path(sys.executable).parent / ORIGIN_FILE).read_text("utf-8").strip().partition(" ")
    except OSError:
        return "tar", None
    return "deb" if kind == "deb" else "tar", Path(link) if link else None


def _is_editable() -> bool:
    from importlib import metadata

    try:
        noted = metadata.distribution("sidekeep").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return True  # run from the sources, without any installation
    return bool(noted) and bool(json.loads(noted or "{}").get("dir_info", {}).get("editable"))
