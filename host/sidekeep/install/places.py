"""Where a browser of a machine looks for the host: its manifest's file, or on Windows the registry key that names the file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from sidekeep.errors import InstallFailed
from sidekeep.install.browsers import FOLDER, HOST_NAME, Browser, Place, all_browsers, names
from sidekeep.install.machine import Machine, RegistryKey
from sidekeep.install.manifest import FILE_NAME


@dataclass(frozen=True, slots=True)
class Target:
    """One manifest. `keys` name it on Windows; `system`: for every user of the machine; `tree`: a sandbox's own folder."""

    browsers: tuple[str, ...]
    manifest: PurePath
    keys: tuple[RegistryKey, ...] = ()
    system: bool = False
    tree: PurePath | None = None

    @property
    def title(self) -> str:
        """Who reads it, in words."""
        return ", ".join(self.browsers)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person named: browsers (all that are there, where none is named), one user data directory, the whole machine."""

    browsers: Sequence[str] = ()
    user_data_dir: PurePath | None = None
    system: bool = False


def chosen(machine: Machine, wish: Wish) -> tuple[list[Browser], list[Browser]]:
    """The browsers that are meant, and those that are left out because they are not there. Raises InstallFailed."""
    known = [browser for browser in all_browsers() if browser.place(machine.platform)]
    if wish.browsers:
        _check(wish.browsers, names(machine.platform))
        return [browser for browser in known if browser.name in wish.browsers], []
    if wish.user_data_dir is not None and machine.platform != "windows":
        return [], []
    # A sandbox sees nothing of the machine's folders, and needs a copy of the program in its own.
    meant = [browser for browser in known if not (wish.system and browser.sandbox)]
    there = [browser for browser in meant if is_there(machine, browser)]
    return there, [browser for browser in meant if browser not in there]


def _check(wanted: Sequence[str], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            raise InstallFailed(f"There is no browser {name!r} on this system. Known are: {', '.join(known)}.")


def is_there(machine: Machine, browser: Browser) -> bool:
    """Whether a browser has been started here or could be. Reads nothing of its profiles."""
    place = browser.place(machine.platform)
    if place is None:
        return False
    if browser.sandbox:
        return machine.exists((machine.home / browser.sandbox.tree).parent)
    if machine.exists(machine.config / place.data):
        return True
    folders = [folder / program for folder in machine.applications for program in place.programs]
    return any(map(machine.exists, folders)) or (
        machine.platform == "linux" and any(map(machine.has_command, place.programs))
    )


def targets(machine: Machine, browsers: Sequence[Browser], wish: Wish) -> list[Target]:
    """The manifests for these browsers, each once. Raises InstallFailed where one has no place for the whole machine."""
    if machine.platform == "windows":
        return _registered(machine, browsers, wish)
    found: dict[PurePath, Target] = {}
    if wish.user_data_dir is not None:
        file = wish.user_data_dir / FOLDER / FILE_NAME
        found[file] = Target((f"the user data directory {wish.user_data_dir}",), file)
    for browser in browsers:
        for folder in _folders(machine, browser, wish):
            file = folder / FILE_NAME
            titles = found[file].browsers if file in found else ()
            tree = machine.home / browser.sandbox.tree if browser.sandbox else None
            found[file] = Target((*titles, browser.title), file, system=wish.system, tree=tree)
    return list(found.values())


def _folders(machine: Machine, browser: Browser, wish: Wish) -> Iterator[PurePath]:
    place = browser.place(machine.platform)
    assert place is not None
    if wish.system:
        if browser.sandbox or not place.system:
            raise InstallFailed(f"{browser.title} has no folder for the whole machine: install for this user.")
        yield type(machine.home)(place.system)
        return
    base = machine.home / browser.sandbox.config if browser.sandbox else machine.config
    for data in _user_data(place, wish):
        yield base / data / FOLDER


def _user_data(place: Place, wish: Wish) -> tuple[str, ...]:
    """A browser that is started with --user-data-dir looks there and no longer in its usual one; some always look in theirs."""
    if wish.user_data_dir is not None:
        return place.hosts
    return place.hosts or (place.data,)


def _registered(machine: Machine, browsers: Sequence[Browser], wish: Wish) -> list[Target]:
    """One manifest, named by as many keys as there are browsers; --user-data-dir changes nothing of that."""
    titles: list[str] = []
    keys: dict[RegistryKey, None] = {}
    for browser in browsers:
        place = browser.place("windows")
        assert place is not None
        titles.append(browser.title)
        keys |= dict.fromkeys(registry_key(hosts, system=wish.system) for hosts in place.hosts)
    if not keys:
        return []
    folder = machine.shared if wish.system else machine.data_home
    return [Target(tuple(titles), folder / FILE_NAME, tuple(keys), system=wish.system)]


def registry_key(hosts: str, *, system: bool) -> RegistryKey:
    """The key of a browser's family: a subkey of its own with a default value, not a named value."""
    return RegistryKey("HKLM" if system else "HKCU", rf"Software\{hosts}\{FOLDER}\{HOST_NAME}")
