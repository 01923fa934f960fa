"""Whose data a caller sees (docs/protocol.md, Frames)."""

from typing import NamedTuple

SIDEKEEP = "sidekeep"
# Unpacked and development; store ids are added when the stores have given them.
BUILT_IN_EXTENSION_IDS = frozenset({"hodbpabemnndpbbmcjdinhofnnepgklm"})


class Scope(NamedTuple):
    """A namespace of stored data, and the browser profile the caller runs in ("" = the one unnamed profile)."""

    namespace: str
    profile: str = ""


def is_extension_id(text: str) -> bool:
    """Whether a text could be an extension's id: 32 letters from a to p."""
    return len(text) == 32 and set(text) <= set("abcdefghijklmnop")


def namespace_of(extension_id: str) -> str:
    """Sidekeep's own ids share one namespace; any other extension has its own."""
    return SIDEKEEP if extension_id in BUILT_IN_EXTENSION_IDS else extension_id


def extension_id_of(origin: str) -> str:
    """The id in `chrome-extension://<id>/`, or "" where there is none."""
    prefix, _, rest = origin.partition("://")
    return rest.rstrip("/") if prefix == "chrome-extension" else ""
