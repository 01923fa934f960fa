"""Where one browser looks for the manifest, in its own order: the first that is there counts, sound or not."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from sidekeep.errors import InstallFailed
from sidekeep.install.browsers import FOLDER, Browser
from sidekeep.install.machine import Machine, RegistryKey
from sidekeep.install.manifest import FILE_NAME
from sidekeep.install.places import Wish, registry_key, targets


@dataclass(frozen=True, slots=True)
class Lookup:
    """One place. `key`: the registry key that names the file, on Windows. `system`: it is the machine's, not the person's."""

    system: bool
    file: PurePath | None = None
    key: RegistryKey | None = None

    def __str__(self) -> str:
        return str(self.key or self.file)

    def manifest(self, machine: Machine) -> PurePath | None:
        """The manifest that the browser would read here; None where it goes on looking."""
        if self.key is not None:
            value = machine.value(self.key)
            return type(machine.home)(value) if value else None
        assert self.file is not None
        return self.file if is_readable_or_there(machine, self.file) else None


def is_readable_or_there(machine: Machine, file: PurePath) -> bool:
    """Whether a browser sees a file: a link to nothing is none, one that may not be read is one."""
    try:
        return machine.read(file) is not None
    except InstallFailed:
        return True


def lookups(machine: Machine, browser: Browser, user_data_dir: PurePath | None = None) -> Iterator[Lookup]:
    """The person's places, then the machine's."""
    if machine.platform == "windows":
        yield from _keys(browser)
        return
    place = browser.place(machine.platform)
    assert place is not None
    for target in targets(machine, [browser], Wish((browser.name,), user_data_dir)):
        yield Lookup(system=False, file=target.manifest)
    if not browser.sandbox:
        for folder in (place.system, *place.fallback):
            if folder:
                yield Lookup(system=True, file=type(machine.home)(folder) / FILE_NAME)


def profile_lookup(folder: PurePath) -> Lookup:
    """The place of a browser that is started with --user-data-dir."""
    return Lookup(system=False, file=folder / FOLDER / FILE_NAME)


def _keys(browser: Browser) -> Iterator[Lookup]:
    place = browser.place("windows")
    assert place is not None
    for system in (False, True):
        for hosts in (*place.hosts, *place.fallback):
            yield Lookup(system=system, key=registry_key(hosts, system=system))
