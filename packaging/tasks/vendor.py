"""Third-party JavaScript: from npm's lock into extension/vendor/, with its licences."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tasks import programs
from tasks.files import Stamp, digest
from tasks.places import NODE_MODULES, ROOT, VENDOR
from tasks.say import TaskError, step

PACKAGE = ROOT / "package.json"
LOCK = ROOT / "package-lock.json"
NAME = "JavaScript modules"
NODE_MAJOR = 18
NODE_NEEDED = (
    f"Node.js {NODE_MAJOR} or later with npm is needed: install it (Debian, Ubuntu: apt install nodejs npm) and run"
    " this again."
)


def ensure() -> None:
    """Make extension/vendor/ hold what package.json's `sidekeep.vendor` names. Raises TaskError."""
    wanted = vendor_map()
    if _is_complete(wanted):
        step(NAME, "up to date")
        return
    ensure_node_modules()
    copies = files(wanted)
    step(NAME, f"copying {len(copies)} files into extension/vendor/")
    # The stamp is the last file written, so a copy that was cut short is done again.
    shutil.rmtree(VENDOR, ignore_errors=True)
    for name, source in copies.items():
        target = VENDOR / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    _copy_licences(wanted)
    _stamp(wanted).set()


def ensure_node_modules() -> None:
    """Install npm's packages, tools included, from the lock. No package's install script is run. Raises TaskError."""
    stamp = Stamp(NODE_MODULES / ".sidekeep-stamp", [LOCK, PACKAGE])
    if stamp.holds():
        return
    npm = _npm()
    stamp.clear()
    step(NAME, "installing from package-lock.json")
    programs.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], task="Installing the JavaScript modules")
    stamp.set()


def node() -> Path:
    """Node's program. Raises TaskError if it is missing or too old."""
    found = shutil.which("node")
    if found is None:
        raise TaskError(NODE_NEEDED)
    answer = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    match = re.match(r"v(\d+)\.", answer.stdout)
    if match is None or int(match[1]) < NODE_MAJOR:
        said = answer.stdout.strip() or "no version"
        raise TaskError(f"{found} says {said}; {NODE_NEEDED}")
    return Path(found)


def vendor_map() -> dict[str, str]:
    """package.json's map from a name in extension/vendor/ to the file below node_modules; `*` stands for many."""
    package: dict[str, Any] = json.loads(PACKAGE.read_text(encoding="utf-8"))
    return dict(package.get("sidekeep", {}).get("vendor", {}))


def files(wanted: dict[str, str]) -> dict[str, Path]:
    """Each file of a vendor map: its name in extension/vendor/ and where it is copied from. Raises TaskError."""
    found = {}
    for name, source in wanted.items():
        for path in _existing(source):
            found[name.replace("*", path.stem)] = path
    return found


def packages(wanted: dict[str, str]) -> list[str]:
    """The npm packages that the files of a vendor map come from."""
    names = {re.sub(r"^node_modules/((?:@[^/]+/)?[^/]+)/.*$", r"\1", source) for source in wanted.values()}
    return sorted(names)


def licence_file(package: str) -> Path | None:
    """The licence text that an installed npm package ships."""
    folder = NODE_MODULES / package
    return next((path for path in sorted(folder.glob("LICEN[CS]E*")) if path.is_file()), None)


def _npm() -> str:
    node()
    found = shutil.which("npm")
    if found is None:
        raise TaskError(NODE_NEEDED)
    return found


def _existing(source: str) -> list[Path]:
    paths = [path for path in sorted(ROOT.glob(source)) if path.is_file()]
    if not paths:
        raise TaskError(f"package.json names {source}, which its package does not have: correct `sidekeep.vendor`.")
    return paths


def _copy_licences(wanted: dict[str, str]) -> None:
    for package in packages(wanted):
        if (path := licence_file(package)) is not None:
            shutil.copyfile(path, VENDOR / f"LICENSE.{package.replace('/', '-').lstrip('@')}.txt")


def _stamp(wanted: dict[str, str]) -> Stamp:
    # The copies themselves count too: a file that was edited or lost is put back.
    copies = [path for name in sorted(wanted) for path in sorted(VENDOR.glob(name))]
    return Stamp(VENDOR / ".stamp", [LOCK, PACKAGE, *(digest([path]) for path in copies)])


def _is_complete(wanted: dict[str, str]) -> bool:
    return all(any(VENDOR.glob(name)) for name in wanted) and _stamp(wanted).holds()
