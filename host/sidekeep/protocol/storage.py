"""storage.*: the area with the semantics of chrome.storage.local."""

from typing import Any

from sidekeep.protocol.model import Params, Shape


class GetParams(Params):
    keys: str | list[str] | dict[str, Any] | None = None


class KeysParams(Params):
    keys: str | list[str]


class BytesParams(Params):
    keys: str | list[str] | None = None


class SetParams(Params):
    """`quotaBytes`: the most that all keys and values may then take; absent, there is no limit."""

    items: dict[str, Any]
    quotaBytes: int | None = None


class WatchParams(Params):
    keys: list[str]
    values: bool


class Items(Shape):
    items: dict[str, Any]


class Keys(Shape):
    keys: list[str]


class Bytes(Shape):
    bytes: int


class OnChanged(Shape):
    """Notification `storage.onChanged`; a change is {oldValue?, newValue?}, or {stale: true} for a watched key without values."""

    changes: dict[str, dict[str, Any]]
    areaName: str
