"""`package`: everything that people install, in dist/package/: the frozen host in a .deb and a .tar.gz, the extension for the
stores, a wheel, what is in them, and checksums."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tasks import dist, vendor, venv
from tasks.package import checksums, extension, frozen, linux, sbom, wheel
from tasks.package.places import EXTENSION, PACKAGES, version
from tasks.places import ROOT
from tasks.say import say, step


def package(*, only_host: bool = False, wire_host: bool = False) -> None:
    """Build all of it. `only_host`: just the frozen program, in build/package/sidekeep/. Raises TaskError."""
    say(f"Packaging Sidekeep {version()}:")
    venv.ensure()
    vendor.ensure()
    built = dist.build(EXTENSION, packaged=True)
    frozen.freeze(built, wire_host=wire_host)
    if only_host:
        return
    shutil.rmtree(PACKAGES, ignore_errors=True)
    PACKAGES.mkdir(parents=True)
    makers: dict[str, Callable[[], Path | None]] = {
        "Extension for stores": lambda: extension.for_stores(built),
        "Wheel": wheel.build,
        "Archive": linux.archive,
        "Debian package": linux.debian,
        "Contents": sbom.write,
        "Checksums": checksums.write,
    }
    for name, make in makers.items():
        made = make()
        step(name, str(made.relative_to(ROOT)) if made else "left out: what builds it is not on this system")
