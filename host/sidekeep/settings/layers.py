"""Which value counts: the file's, else the panel's, else the default; and a limit that was lowered waits.

A limit that becomes lower removes chats or messages. Where a panel lowers it, the person has seen what that means. Where the
file does (or a key leaves the file), the limit that was in force stays until somebody confirms the lower one.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from sidekeep.settings.model import EVICTING, KEYS, Settings, made, value_of

Source = Literal["default", "file", "panel"]


class Layered(NamedTuple):
    """The settings in force.

    `pending`: lowered limits that wait, by key. `raised`: limits that are higher than was noted, and are in force now.
    """

    settings: Settings
    source: Mapping[str, Source]
    pending: Mapping[str, int]
    raised: Mapping[str, int]


def layer(file: Mapping[str, Any], panel: Mapping[str, Any], in_force: Mapping[str, int]) -> Layered:
    """Put the layers together. `in_force`: the limits that somebody confirmed or that nobody had to; default where absent."""
    panel = {name: value for name, value in panel.items() if name in KEYS}  # a newer version may have set more
    wanted = {**panel, **file}
    asked = made(wanted)
    noted = {name: in_force.get(name, value_of(Settings(), name)) for name in EVICTING}
    pending = {name: value_of(asked, name) for name in EVICTING if _is_lower(value_of(asked, name), noted[name])}
    raised = {name: value_of(asked, name) for name in EVICTING if _is_lower(noted[name], value_of(asked, name))}
    settings = made({**wanted, **{name: noted[name] for name in pending}})
    return Layered(settings, {name: _source(name, file, panel) for name in KEYS}, pending, raised)


def _source(name: str, file: Mapping[str, Any], panel: Mapping[str, Any]) -> Source:
    return "file" if name in file else "panel" if name in panel else "default"


def _is_lower(limit: int, other: int) -> bool:
    """Whether a limit removes more than another; 0 is none."""
    return limit != 0 and (other == 0 or limit < other)
