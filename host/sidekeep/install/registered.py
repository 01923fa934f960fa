"""What is registered on a machine: every manifest of this host that a browser would read, and whom it lets in."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from sidekeep.domain.scope import extension_id_of
from sidekeep.install import manifest
from sidekeep.install.browsers import Browser, all_browsers
from sidekeep.install.machine import Machine
from sidekeep.install.places import Target, Wish, targets


@dataclass(frozen=True, slots=True)
class Registration:
    """One manifest that is there. `ours`: this command wrote it; `program` and `allowed` are empty where it cannot be read."""

    title: str
    manifest: PurePath
    system: bool
    ours: bool
    program: str
    allowed: tuple[str, ...]


def registrations(machine: Machine) -> list[Registration]:
    """All of them: this user's first, then the machine's."""
    found = (_read(machine, target) for target in all_targets(machine))
    return [registration for registration in found if registration is not None]


def all_targets(machine: Machine) -> Iterator[Target]:
    """Every place that any browser of this platform reads."""
    known = [browser for browser in all_browsers() if browser.place(machine.platform)]
    yield from targets(machine, known, Wish())
    yield from targets(machine, [browser for browser in known if has_system(machine, browser)], Wish(system=True))


def has_system(machine: Machine, browser: Browser) -> bool:
    """Whether a browser also reads a place of the whole machine."""
    place = browser.place(machine.platform)
    return place is not None and not browser.sandbox and bool(place.system or machine.platform == "windows")


def _read(machine: Machine, target: Target) -> Registration | None:
    if target.keys and not any(machine.value(key) == str(target.manifest) for key in target.keys):
        return None
    data = machine.read(target.manifest)
    if data is None:
        return None
    members = manifest.parsed(data) or {}
    program, allowed = members.get("path"), members.get("allowed_origins")
    return Registration(
        target.title,
        target.manifest,
        target.system,
        manifest.mark(data) is not None,
        program if isinstance(program, str) else "",
        tuple(_ids(allowed)),
    )


def _ids(origins: Any) -> Iterator[str]:
    for origin in origins if isinstance(origins, list) else []:
        if isinstance(origin, str):
            yield extension_id_of(origin) or origin
