"""The golden files of manifests/, rendered anew: `python -m tests.install.golden` writes them."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tests.install.fake_machine import PROGRAMS, FakeMachine

from sidekeep.cli.plans import lines
from sidekeep.install import manifest, plan
from sidekeep.install.browsers import Platform, all_browsers
from sidekeep.install.places import Wish
from sidekeep.install.registered import has_system
from sidekeep.install.sandbox import Program

FOLDER = Path(__file__).parents[2] / "manifests"
PLATFORMS: tuple[Platform, ...] = ("linux", "macos", "windows")


def rendered() -> Iterator[tuple[Path, str]]:
    """Each file and what it should hold: the manifest as the .deb ships it, and each platform's whole plan."""
    shipped = manifest.render(PurePosixPath("/usr/bin/sidekeep"))
    yield FOLDER / manifest.FILE_NAME, shipped.decode("ascii")
    for platform in PLATFORMS:
        yield FOLDER / "plans" / f"{platform}.txt", "\n".join(_plan(platform)) + "\n"


def _plan(platform: Platform) -> Iterator[str]:
    program = Program(PROGRAMS[platform], PROGRAMS[platform].parent)
    machine = FakeMachine(platform)
    known = [browser for browser in all_browsers() if browser.place(platform)]
    for system in (False, True):
        meant = [browser for browser in known if has_system(machine, browser) or not system]
        for browser in meant:
            yield f"sidekeep install --browser {browser.name}" + (" --system" if system else "")
            wish = Wish((browser.name,), system=system)
            yield from lines(plan.install(machine, wish, program), None, dry_run=True)


if __name__ == "__main__":
    for file, text in rendered():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")
