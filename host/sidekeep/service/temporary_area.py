"""The area while the live conversation is a temporary one: its keys are in memory, all others where they always are."""

from collections.abc import Iterable
from typing import Any

from sidekeep.domain.area_keys import PROFILE_KEYS
from sidekeep.domain.scope import Scope
from sidekeep.service.area import Area


class TemporaryArea:
    """Two areas as one: `live` has the keys of the conversation, `lasting` the rest.

    A set of keys of both is one write in each; the lasting one comes first, because it may be refused.
    """

    def __init__(self, lasting: Area, live: Area) -> None:
        self._lasting = lasting
        self._live = live

    def get(self, scope: Scope, keys: Iterable[str] | None) -> dict[str, bytes]:
        wanted = self.keys(scope) if keys is None else sorted(set(keys))
        lasting, live = _split(wanted)
        return dict(sorted({**self._lasting.get(scope, lasting), **self._live.get(scope, live)}.items()))

    def get_all(self, scope: Scope) -> dict[str, Any]:
        live = self._live.get_all(scope)
        return {**self._lasting.get_all(scope), **{key: live[key] for key in PROFILE_KEYS & live.keys()}}

    def set(self, scope: Scope, items: dict[str, Any], *, quota_bytes: int | None = None) -> None:
        lasting, live = _split(items)
        if lasting or not live:
            self._lasting.set(scope, {key: items[key] for key in lasting}, quota_bytes=quota_bytes)
        if live:
            self._live.set(scope, {key: items[key] for key in live})

    def remove(self, scope: Scope, keys: Iterable[str]) -> None:
        lasting, live = _split(keys)
        self._lasting.remove(scope, lasting)
        self._live.remove(scope, live)

    def clear(self, scope: Scope) -> None:
        self.remove(scope, self.keys(scope))

    def keys(self, scope: Scope) -> list[str]:
        return sorted(_split(self._lasting.keys(scope))[0] + _split(self._live.keys(scope))[1])

    def bytes_in_use(self, scope: Scope, keys: Iterable[str] | None) -> int:
        lasting, live = _split(self.keys(scope) if keys is None else keys)
        return self._lasting.bytes_in_use(scope, lasting) + self._live.bytes_in_use(scope, live)


def _split(keys: Iterable[str]) -> tuple[list[str], list[str]]:
    """Keys that last, and keys of the conversation."""
    named = list(keys)
    return [key for key in named if key not in PROFILE_KEYS], [key for key in named if key in PROFILE_KEYS]
