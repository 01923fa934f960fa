"""The native messaging manifest: the file by which a browser finds the host and learns who may start it."""

import json
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, NamedTuple

from sidekeep.domain.scope import BUILT_IN_EXTENSION_IDS
from sidekeep.install.browsers import HOST_NAME

DESCRIPTION = "Sidekeep keeps the side panel's conversations on this computer"
FILE_NAME = f"{HOST_NAME}.json"
# Browsers pass over members they do not know, so the file itself says that it is ours, wherever the program has gone.
MARK = "sidekeep"


class Marked(NamedTuple):
    """What a manifest of ours says of itself. `folders`: how many of the folders above it were made for it."""

    folders: int


def origin(extension_id: str) -> str:
    """An extension as `allowed_origins` names it; without the slash at its end browsers refuse the whole file."""
    return f"chrome-extension://{extension_id}/"


def allowed(extra: Iterable[str]) -> tuple[str, ...]:
    """Sidekeep's own extension ids, then others', each once."""
    return (*sorted(BUILT_IN_EXTENSION_IDS), *sorted(set(extra) - BUILT_IN_EXTENSION_IDS))


def render(program: PurePath, extra: Iterable[str] = (), *, folders: int = 0) -> bytes:
    """The manifest for a program; `extra` are ids beside Sidekeep's own. The browser wants the program's path absolute."""
    if not program.is_absolute():
        raise ValueError(f"{program} is not absolute")
    manifest = {
        "name": HOST_NAME,
        "description": DESCRIPTION,
        "path": str(program),
        "type": "stdio",
        "allowed_origins": [origin(extension_id) for extension_id in allowed(extra)],
        MARK: Marked(folders)._asdict(),
    }
    # ASCII: any other encoding than UTF-8 makes the browser say "not found".
    return (json.dumps(manifest, indent=2, ensure_ascii=True) + "\n").encode("ascii")


def parsed(data: bytes) -> dict[str, Any] | None:
    """A manifest's members; None where the bytes are no JSON object."""
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def mark(data: bytes | None) -> Marked | None:
    """What the file says of itself; None where Sidekeep's installer did not write it."""
    found = parsed(data) if data is not None else None
    marked = found.get(MARK) if found else None
    if not isinstance(marked, dict):
        return None
    folders = marked.get("folders")
    return Marked(folders if isinstance(folders, int) else 0)
