"""Changing one key of a settings.toml that a person wrote: comments, order and everything else stay as they are."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from sidekeep.settings import file as settings_file

ALLOWED = "allowed_extensions"


def allowed_extensions(file: Path) -> tuple[str, ...]:
    """The ids that the file lists. Raises SettingsInvalid."""
    return tuple(settings_file.read(file).get(ALLOWED, ()))


def with_extensions(file: Path, ids: Collection[str]) -> bytes:
    """What the file is to hold so that it lists these ids: what it holds where it does already. Raises SettingsInvalid."""
    settings_file.check({ALLOWED: list(ids)})
    before = settings_file.content(file) or b""
    return before if allowed_extensions(file) == tuple(ids) else _listing(before, list(ids))


def _listing(before: bytes, ids: list[str]) -> bytes:
    import tomlkit

    text = before.decode("utf-8-sig")
    document = tomlkit.parse(text)
    values = document.get(ALLOWED)
    if isinstance(values, list):
        _change(values, ids)
    else:
        # A key of no table has to stand before the first table.
        document = tomlkit.parse(f"{ALLOWED} = {tomlkit.item(ids).as_string()}\n{text}")
    return tomlkit.dumps(document).encode()


def _change(values: Any, ids: list[str]) -> None:
    for gone in [known for known in values if known not in ids]:
        values.remove(gone)
    for fresh in ids:
        if fresh not in values:
            values.append(fresh)
