"""What an administrator has forbidden: policies by which a browser passes over a host that is registered."""

import json
import plistlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sidekeep.install.browsers import HOST_NAME, Browser, Platform

MANAGED_MACOS = Path("/Library/Managed Preferences")
USER_LEVEL, BLOCKED, ALLOWED = (
    "NativeMessagingUserLevelHosts",
    "NativeMessagingBlocklist",
    "NativeMessagingAllowlist",
)


def policies(platform: Platform, browser: Browser) -> dict[str, Any]:
    """The policies about native messaging that are in force for a browser, by name; later files win, as for the browser."""
    place = browser.place(platform)
    if place is None or not place.policies or browser.sandbox:
        return {}
    found: dict[str, Any] = {}
    for values in _read(platform, place.policies):
        found |= {name: value for name, value in values.items() if name in (USER_LEVEL, BLOCKED, ALLOWED)}
    return found


def forbids_user_level(values: dict[str, Any]) -> bool:
    """Whether only what is registered for the whole machine counts."""
    return values.get(USER_LEVEL) in (False, 0)


def blocks(values: dict[str, Any]) -> bool:
    """Whether this host is on the list of those that are forbidden, and not on that of the exceptions."""
    blocked, allowed = _names(values.get(BLOCKED)), _names(values.get(ALLOWED))
    return (HOST_NAME in blocked or "*" in blocked) and HOST_NAME not in allowed


def _names(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _read(platform: Platform, where: str) -> Iterator[dict[str, Any]]:
    if platform == "linux":
        for file in sorted(Path(where).glob("*.json")):
            yield _parsed(file, json.loads)
    elif platform == "macos":
        for file in (MANAGED_MACOS / f"{where}.plist", *sorted(MANAGED_MACOS.glob(f"*/{where}.plist"))):
            yield _parsed(file, plistlib.loads)
    elif sys.platform == "win32":
        yield from _registry(where)


def _parsed(file: Path, parse: Callable[[bytes], Any]) -> dict[str, Any]:
    """A file's policies; none where it cannot be read, as for the browser."""
    try:
        found = parse(file.read_bytes())
    except (OSError, ValueError, plistlib.InvalidFileException):
        return {}
    return found if isinstance(found, dict) else {}


if sys.platform == "win32":  # not run yet, for want of a Windows machine
    import winreg

    def _registry(where: str) -> Iterator[dict[str, Any]]:
        for root in (winreg.HKEY_CURRENT_USER, winreg.HKEY_LOCAL_MACHINE):
            try:
                with winreg.OpenKey(root, rf"Software\{where}") as key:
                    yield {USER_LEVEL: winreg.QueryValueEx(key, USER_LEVEL)[0]}
            except FileNotFoundError:
                continue
