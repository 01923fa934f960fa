"""The files that lie beside a conversation in a ZIP or a folder, found by the name a conversation gives them."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Protocol


class Assets(Protocol):
    """Files beside the document that is being read."""

    def starting_with(self, asset_id: str) -> bytes | None:
        """The file whose name begins with `asset_id`, whichever folder it lies in; None where there is none."""

    def named(self, name: str) -> bytes | None:
        """The file of exactly that name, beside the document; None where there is none."""


class NameIndex:
    """Paths, found by how the last part of one begins. The text that is looked for comes from strangers: it names no path."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._entries = sorted((path.rpartition("/")[2], path) for path in paths)

    def starting_with(self, asset_id: str) -> str | None:
        """The path of the file `<asset_id>`, `<asset_id>.png`, `<asset_id>-name.png` …; None where there is none."""
        if not asset_id:
            return None
        at = bisect_left(self._entries, (asset_id, ""))
        if at == len(self._entries):
            return None
        name, path = self._entries[at]
        is_whole_id = name.startswith(asset_id) and not name[len(asset_id) : len(asset_id) + 1].isalnum()
        return path if is_whole_id else None
