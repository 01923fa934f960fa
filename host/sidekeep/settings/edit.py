"""Changing one key of a settings.toml that a person wrote: comments, order and everything else stay as they are."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from sidekeep import paths
from sidekeep.errors import StoreFailed
from sidekeep.settings import file as settings_file

ALLOWED = "allowed_extensions"


def allowed_extensions(file: Path) -> tuple[str, ...]:
    """The ids that the file lists. Raises SettingsInvalid."""
    return tuple(settings_file.read(file).get(ALLOWED, ()))


def allow_extensions(file: Path, *, add: Collection[str] = (), remove: Collection[str] = ()) -> tuple[str, ...]:
    """Add ids to `allowed_extensions` and take others out of it; returns the list. A file is made where there is none.

    Raises SettingsInvalid where the file, or an id, is not what it may be, and StoreFailed where it cannot be written.
    """
    settings_file.check({ALLOWED: list(add)})
    before = list(allowed_extensions(file))
    after = [known for known in before if known not in remove]
    after += [fresh for fresh in dict.fromkeys(add) if fresh not in after]
    if after != before:
        _write(file, after)
    return tuple(after)


def _write(file: Path, ids: list[str]) -> None:
    import tomlkit

    text = (settings_file.content(file) or b"").decode("utf-8-sig")
    document = tomlkit.parse(text)
    values = document.get(ALLOWED)
    if isinstance(values, list):
        _change(values, ids)
    else:
        # A key of no table has to stand before the first table.
        document = tomlkit.parse(f"{ALLOWED} = {tomlkit.item(ids).as_string()}\n{text}")
    _replace(file, tomlkit.dumps(document).encode())


def _change(values: Any, ids: list[str]) -> None:
    for gone in [known for known in values if known not in ids]:
        values.remove(gone)
    for fresh in ids:
        if fresh not in values:
            values.append(fresh)


def _replace(file: Path, data: bytes) -> None:
    file = file.resolve()  # it may be a link to where a person keeps such files
    paths.ensure_private(file.parent)
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(data)
        fresh.replace(file)
    except OSError as exc:
        fresh.unlink(missing_ok=True)
        raise StoreFailed(f"{file} could not be written: {exc.strerror}.") from exc
