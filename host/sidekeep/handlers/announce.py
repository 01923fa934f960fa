"""Telling the caller that the live conversation's keys changed, whoever changed them."""

from typing import Any

import orjson

from sidekeep.domain.json_value import equal
from sidekeep.handlers.context import Context
from sidekeep.service.area import LIVE_KEYS


class LiveAnnouncer:
    """`storage.onChanged` for `history` and `activeSessionId` after history.*, sessions.load and turn.*.

    A caller that is spared the value of `history` costs nothing here. For one that is not, the values last announced are kept:
    they are the next event's old ones.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._last: dict[str, bytes] | None = None

    def expect(self) -> None:
        """Call before a change: remembers what is there."""
        if self._last is None:
            self._last = self._values()

    def announce(self) -> None:
        """Call after a change."""
        before, after = self._last or {}, self._values()
        changes = {key: change for key in LIVE_KEYS if (change := _change(before.get(key), after.get(key)))}
        if self._context.is_spared("history"):
            changes["history"] = {"stale": True}
        self._last = after
        if changes:
            self._context.notify("storage.onChanged", {"changes": changes, "areaName": "local"})

    def _values(self) -> dict[str, bytes]:
        wanted = [key for key in LIVE_KEYS if not self._context.is_spared(key)]
        return self._context.live.area.get(self._context.scope, wanted)


def _change(before: bytes | None, after: bytes | None) -> dict[str, Any]:
    if before == after or (before is not None and after is not None and equal(before, after)):
        return {}
    change: dict[str, Any] = {}
    if after is not None:
        change["newValue"] = orjson.Fragment(after)
    if before is not None:
        change["oldValue"] = orjson.Fragment(before)
    return change
