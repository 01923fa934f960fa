"""Which browsers of this machine can run the extension, and how each one takes it."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tasks.say import TaskError

# In order of preference: those that load an unpacked extension from the command line come first.
COMMANDS = (
    "chromium",
    "chromium-browser",
    "chrome-for-testing",
    "ungoogled-chromium",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
    "brave",
    "vivaldi",
    "google-chrome",
    "google-chrome-stable",
    "google-chrome-beta",
)
MAC_APPS = ("Chromium", "Google Chrome for Testing", "Microsoft Edge", "Brave Browser", "Vivaldi", "Google Chrome")
WINDOWS_PROGRAMS = (
    "Chromium/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
    "BraveSoftware/Brave-Browser/Application/brave.exe",
    "Google/Chrome/Application/chrome.exe",
)
# Branded Chrome has ignored --load-extension since this version; there DevTools' Extensions.loadUnpacked does it.
CHROME_WITHOUT_SWITCH = 137
INSTALL = (
    "install Chromium (Debian, Ubuntu: apt install chromium) or Chrome for Testing, or name one with --browser PATH"
)


@dataclass(frozen=True, slots=True)
class Program:
    """A browser's program: its path, what it calls itself and its major version (0 where it does not say)."""

    path: Path
    name: str
    major: int

    @property
    def takes_switch(self) -> bool:
        """Whether it honours --load-extension."""
        branded = self.name.startswith("Google Chrome") and "for Testing" not in self.name
        return not (branded and self.major >= CHROME_WITHOUT_SWITCH)


def find(wanted: str | None) -> Program:
    """The browser that was named, else the first of the known ones. Raises TaskError if there is none."""
    if wanted is not None:
        return _identify(_named(wanted))
    for candidate in _known():
        return _identify(candidate)
    raise TaskError(f"No Chromium-family browser was found: {INSTALL}.")


def _named(wanted: str) -> Path:
    found = shutil.which(wanted)
    if found is None:
        raise TaskError(f"There is no program {wanted} that could be started: {INSTALL}.")
    return Path(found).absolute()


def _known() -> list[Path]:
    if sys.platform == "darwin":
        folders = (Path("/Applications"), Path.home() / "Applications")
        places = [folder / f"{app}.app/Contents/MacOS/{app}" for app in MAC_APPS for folder in folders]
        return [place for place in places if place.exists()]
    if sys.platform == "win32":
        roots = [os.environ.get(name) for name in ("ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA")]
        places = [Path(root) / program for program in WINDOWS_PROGRAMS for root in roots if root]
        return [place for place in places if place.exists()]
    return [Path(found).absolute() for found in map(shutil.which, COMMANDS) if found]


def _identify(path: Path) -> Program:
    if sys.platform == "win32":  # `chrome.exe --version` opens a window there
        return Program(path, path.stem, 0)
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise TaskError(f"{path} did not say its version ({exc}): {INSTALL}.") from exc
    match = re.search(r"^(.*?)\s+(\d+)(\.\d+)+", answer.stdout, re.MULTILINE)
    if match is None:
        raise TaskError(f"{path} does not look like a Chromium-family browser: {INSTALL}.")
    return Program(path, match[1], int(match[2]))
