"""What a plan needs to know of a computer: folders, files, registry values. A test's computer is a dictionary."""

import contextlib
import os
import shutil
import sys
from pathlib import Path, PurePath
from typing import Literal, NamedTuple, Protocol

from sidekeep import paths
from sidekeep.errors import InstallFailed
from sidekeep.install.browsers import Platform

Root = Literal["HKCU", "HKLM"]


class RegistryKey(NamedTuple):
    """A key whose default value is the path of a manifest."""

    root: Root
    path: str

    def __str__(self) -> str:
        return rf"{self.root}\{self.path}"


class Machine(Protocol):
    """A computer as the plan sees it. `config`: what user data directories lie in; `applications`: where programs may lie."""

    platform: Platform
    home: PurePath
    config: PurePath
    data_home: PurePath
    shared: PurePath
    applications: tuple[PurePath, ...]

    def exists(self, path: PurePath) -> bool: ...

    def has_command(self, name: str) -> bool: ...

    def read(self, path: PurePath) -> bytes | None:
        """A file's bytes; None where there is no file. Raises InstallFailed where it cannot be read."""

    def value(self, key: RegistryKey) -> str | None:
        """A key's default value; None where there is none."""


class ThisMachine:
    """The computer that this runs on."""

    def __init__(self, data_home: Path | None = None) -> None:
        self.platform: Platform = this_platform()
        self.home: PurePath = home()
        self.config: PurePath = _config(self.platform, Path(self.home))
        self.data_home: PurePath = data_home or paths.data_home()
        # Of the whole machine; only Windows keeps a manifest there, because elsewhere the browsers name the folder.
        self.shared: PurePath = Path(os.environ.get("PROGRAMDATA", r"C:\ProgramData")) / "sidekeep"
        self.applications: tuple[PurePath, ...] = _applications(self.platform, Path(self.home))

    def exists(self, path: PurePath) -> bool:
        return os.path.lexists(path)

    def has_command(self, name: str) -> bool:
        return shutil.which(name) is not None

    def read(self, path: PurePath) -> bytes | None:
        try:
            return Path(path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as exc:
            raise InstallFailed(f"{path} cannot be read: {exc.strerror}.") from exc

    def value(self, key: RegistryKey) -> str | None:
        from sidekeep.install import registry

        return registry.read(key)


def home() -> Path:
    """The person's home, also where HOME is not set. Raises InstallFailed where the system knows none."""
    with contextlib.suppress(RuntimeError):
        return Path.home()
    raise InstallFailed("HOME is not set and the system knows no home of this user: set HOME, then try again.")


def this_platform() -> Platform:
    """The platform that this runs on, as the table names it."""
    if sys.platform == "darwin":
        return "macos"
    return "windows" if sys.platform == "win32" else "linux"


def _config(platform: Platform, home: Path) -> Path:
    if platform == "macos":
        return home / "Library" / "Application Support"
    if platform == "windows":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")


def _applications(platform: Platform, home: Path) -> tuple[PurePath, ...]:
    if platform == "macos":
        return (Path("/Applications"), home / "Applications")
    if platform == "windows":
        known = (os.environ.get(name) for name in ("ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"))
        return tuple(Path(folder) for folder in known if folder)
    return ()
