"""A computer of any platform, as dictionaries: what a plan looks at."""

from collections.abc import Iterable
from pathlib import PurePath, PurePosixPath, PureWindowsPath

from sidekeep.install.browsers import Platform
from sidekeep.install.machine import RegistryKey

WINDOWS = PureWindowsPath(r"C:\Users\Ania Żak")
APPLICATIONS: dict[Platform, tuple[PurePath, ...]] = {
    "linux": (),
    "macos": (PurePosixPath("/Applications"), PurePosixPath("/Users/Ania Żak/Applications")),
    "windows": (PureWindowsPath(r"C:\Program Files"), PureWindowsPath(r"C:\Program Files (x86)")),
}
HOMES: dict[Platform, PurePath] = {
    "linux": PurePosixPath("/home/ania żak"),
    "macos": PurePosixPath("/Users/Ania Żak"),
    "windows": WINDOWS,
}
CONFIGS: dict[Platform, str] = {
    "linux": ".config",
    "macos": "Library/Application Support",
    "windows": "AppData/Local",
}
PROGRAMS: dict[Platform, PurePath] = {
    "linux": PurePosixPath("/opt/sidekeep 1/sidekeep"),
    "macos": PurePosixPath("/Applications/Sidekeep/sidekeep"),
    "windows": PureWindowsPath(r"C:\Program Files\Sidekeep\sidekeep.exe"),
}


class FakeMachine:
    """Nothing is on it but what it is given: folders and files by path, commands, registry values."""

    def __init__(
        self, platform: Platform, *, there: Iterable[PurePath | str] = (), commands: Iterable[str] = ()
    ) -> None:
        self.platform: Platform = platform
        self.home = HOMES[platform]
        self.config: PurePath = self.home / CONFIGS[platform]
        self.data_home: PurePath = self.config / "sidekeep"
        self.shared: PurePath = PureWindowsPath(r"C:\ProgramData\sidekeep")
        self.applications = APPLICATIONS[platform]
        self.commands = set(commands)
        self.files: dict[PurePath, bytes] = {}
        self.registry: dict[RegistryKey, str] = {}
        self._there = {self.home / path for path in there} | set(self.home.parents) | {self.home}

    def exists(self, path: PurePath) -> bool:
        known = self._there | set(self.files)
        return path in known or any(path in other.parents for other in known)

    def has_command(self, name: str) -> bool:
        return name in self.commands

    def read(self, path: PurePath) -> bytes | None:
        return self.files.get(path)

    def value(self, key: RegistryKey) -> str | None:
        return self.registry.get(key)
