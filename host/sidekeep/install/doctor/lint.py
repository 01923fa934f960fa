"""A manifest as a browser reads it: the first thing for which it says "not found" or "forbidden" (Chromium 156, measured)."""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

from sidekeep.domain.scope import is_extension_id
from sidekeep.install.browsers import HOST_NAME, Platform
from sidekeep.install.manifest import origin

ORIGIN = re.compile(r"chrome-extension://([^/]*)(/.*)?", re.DOTALL)


class Problem(NamedTuple):
    """A cause by name, and half a sentence that follows the manifest's path."""

    cause: str
    what: str


def problem(data: bytes, platform: Platform, extension_id: str) -> Problem | None:
    """The first thing that is wrong for this extension, in the browser's order; None where the manifest is sound."""
    if data.startswith(codecs.BOM_UTF8):
        return Problem("manifest_bom", "begins with a byte order mark, which not every browser takes")
    try:
        members = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        return Problem("manifest_encoding", "is not UTF-8 text")
    except (ValueError, RecursionError) as exc:
        return Problem("manifest_not_json", f"is not JSON ({_where(exc)})")
    if not isinstance(members, dict):
        return Problem("manifest_not_json", "is JSON but no object")
    return next(_problems(members, platform, extension_id), None)


def _problems(members: dict[str, Any], platform: Platform, extension_id: str) -> Iterator[Problem]:
    for check in (_name, _description, _type):
        found = check(members)
        if found is not None:
            yield found
    yield from _origins(members.get("allowed_origins"), extension_id)
    yield from _path(members.get("path"), platform)


def _name(members: dict[str, Any]) -> Problem | None:
    name = members.get("name")
    if name == HOST_NAME:
        return None
    return Problem("manifest_name", f"names the host {name!r} and not {HOST_NAME!r}")


def _description(members: dict[str, Any]) -> Problem | None:
    description = members.get("description")
    if isinstance(description, str) and description:
        return None
    return Problem("manifest_description", "has no description, or an empty one")


def _type(members: dict[str, Any]) -> Problem | None:
    if members.get("type") == "stdio":
        return None
    return Problem("manifest_type", f'has the type {members.get("type")!r} and not "stdio"')


def _origins(origins: Any, extension_id: str) -> Iterator[Problem]:
    if not isinstance(origins, list):
        yield Problem("origins_missing", "has no list allowed_origins")
        return
    for entry in origins:
        match = ORIGIN.fullmatch(entry) if isinstance(entry, str) else None
        if match is None or "*" in match[1]:
            yield Problem("origin_malformed", f"allows {entry!r}, which is no extension's origin")
        elif not match[2]:
            yield Problem("origin_slash", f"allows {entry!r}, which lacks the slash at its end")
    if origin(extension_id) in origins or f"{origin(extension_id)}*" in origins:
        return
    for entry in origins:
        match = ORIGIN.fullmatch(entry) if isinstance(entry, str) else None
        if match is not None and not is_extension_id(match[1]):
            yield Problem("origin_id", f"allows {entry!r}, which is no id: those have 32 letters from a to p")
    yield Problem("origin_not_allowed", f"does not allow the extension {extension_id}")


def _path(path: Any, platform: Platform) -> Iterator[Problem]:
    if not isinstance(path, str) or not path:
        yield Problem("path_missing", "names no program")
        return
    if not (PureWindowsPath(path) if platform == "windows" else PurePosixPath(path)).is_absolute():
        yield Problem("path_relative", f"names the program {path!r}, which is not a path from the root on")


def _where(exc: Exception) -> str:
    if isinstance(exc, json.JSONDecodeError):
        return f"line {exc.lineno}: {exc.msg}"
    return "it is nested too deep"
