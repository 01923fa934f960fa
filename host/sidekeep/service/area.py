"""The storage area: storage.* with the semantics of chrome.storage.local (docs/protocol.md, Storage area).

`history` and `activeSessionId` are read from the live conversation's rows unless storage.set was the last to write them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from sidekeep.domain import json_value, providers
from sidekeep.domain.area_keys import GET_ALL_KEYS, light_defaults
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.errors import QuotaExceeded
from sidekeep.service.clock import Clock
from sidekeep.store import area, entries, provider_keys
from sidekeep.store.database import Database, Transaction

if TYPE_CHECKING:
    from sidekeep.service.keys import Keys
    from sidekeep.service.messages import Prepared

LIVE_KEYS = ("activeSessionId", "history")


class Change(NamedTuple):
    """What a write changed; None where the key was, or is, absent."""

    old: bytes | None
    new: bytes | None


Changes = dict[str, Change]


class Area:
    """One store's areas."""

    def __init__(self, database: Database, clock: Clock, keys: Callable[[], Keys]) -> None:
        self._database = database
        self._clock = clock
        self._keys_of_providers = keys

    def get(self, scope: Scope, keys: Iterable[str] | None) -> dict[str, bytes]:
        """The values of those keys that are there, or of all, in order of the keys' UTF-8 bytes."""
        with self._database.reading() as tx:
            wanted = self._keys(tx, scope) if keys is None else sorted(set(keys))
            return _values(tx, scope, wanted)

    def get_all(self, scope: Scope) -> dict[str, Any]:
        """The light keys, defaults filled in; providers merged with the built-in ones, each with keySet."""
        items = light_defaults()
        with self._database.reading() as tx:
            for key, value in _values(tx, scope, GET_ALL_KEYS).items():
                items[key] = orjson.loads(value)
            with_key = provider_keys.everywhere(tx, scope.namespace)
        stored = items["providers"] if isinstance(items["providers"], dict) else {}
        items["providers"] = {
            name: {**fields, "keySet": bool(with_key) and (name, providers.provider_from(fields).origin) in with_key}
            for name, fields in providers.merged(stored).items()
        }
        return items

    def set(self, scope: Scope, items: dict[str, Any], *, quota_bytes: int | None = None) -> Changes:
        """Write keys, all or none. An `apiKey` in providers goes to the key store and reads back as absent.

        Raises QuotaExceeded where all keys and values would then take more than `quota_bytes`.
        """
        if scope.namespace == SIDEKEEP and isinstance(items.get("providers"), dict):
            items = {**items, "providers": self._without_keys(scope, items["providers"])}
        encoded = {key: orjson.dumps(value) for key, value in items.items()}
        sizes = {key: json_value.size_of(key, value, items[key]) for key, value in encoded.items()}
        now_ms = self._clock()
        history = _as_messages(items["history"], now_ms) if "history" in items else None
        with self._database.transaction() as tx:
            if quota_bytes is not None and sum({**_sizes(tx, scope), **sizes}.values()) > quota_bytes:
                raise QuotaExceeded(
                    f"The area would take more than its quota of {quota_bytes} bytes. Nothing was written."
                )
            old = _values(tx, scope, encoded)
            for key, value in encoded.items():
                if key == "history" and history is not None:
                    _replace_history(tx, scope, history, now_ms)
                else:
                    self._remove(tx, scope, key, now_ms)
                    area.put(tx, scope, key, value, sizes[key])
        return _changes(old, encoded)

    def remove(self, scope: Scope, keys: Iterable[str]) -> Changes:
        """Remove keys; those that are not there are no error."""
        wanted = sorted(set(keys))
        with self._database.transaction() as tx:
            old = _values(tx, scope, wanted)
            for key in old:
                self._remove(tx, scope, key, self._clock())
        return _changes(old, {})

    def clear(self, scope: Scope) -> Changes:
        """Remove every key that this caller sees."""
        with self._database.transaction() as tx:
            old = _values(tx, scope, self._keys(tx, scope))
            for key in old:
                self._remove(tx, scope, key, self._clock())
        return _changes(old, {})

    def keys(self, scope: Scope) -> list[str]:
        with self._database.reading() as tx:
            return self._keys(tx, scope)

    def bytes_in_use(self, scope: Scope, keys: Iterable[str] | None) -> int:
        """Bytes of the keys and their values; a key named twice counts twice."""
        with self._database.reading() as tx:
            sizes = _sizes(tx, scope)
            return sum(sizes.values()) if keys is None else sum(sizes.get(key, 0) for key in keys)

    def _keys(self, tx: Transaction, scope: Scope) -> list[str]:
        found = area.keys(tx, scope)
        own = entries.live(tx, scope)
        if own is not None:
            found = sorted({*found, *(LIVE_KEYS if own.chat_id else ("history",))})
        return found

    def _remove(self, tx: Transaction, scope: Scope, key: str, now_ms: int) -> None:
        area.remove(tx, scope, key)
        if key == "history" and entries.live(tx, scope) is not None:
            from sidekeep.service import live

            live.forget(tx, scope, now_ms)

    def _without_keys(self, scope: Scope, stored: dict[str, Any]) -> dict[str, Any]:
        """Providers without their keys, which go to the key store, each for the base URL it came with."""
        kept: dict[str, Any] = {}
        complete = providers.merged(stored)
        for name, fields in stored.items():
            if isinstance(fields, dict) and "apiKey" in fields:
                if isinstance(fields["apiKey"], str) and fields["apiKey"]:
                    self._keys_of_providers().put(scope, providers.provider_from(complete[name]), fields["apiKey"])
                fields = {field: value for field, value in fields.items() if field != "apiKey"}  # noqa: PLW2901
            kept[name] = fields
        return kept


def _values(tx: Transaction, scope: Scope, keys: Iterable[str]) -> dict[str, bytes]:
    wanted = list(keys)
    found = area.get(tx, scope, wanted)
    found.update(_live_values(tx, scope, [key for key in LIVE_KEYS if key in wanted and key not in found]))
    return {key: found[key] for key in wanted if key in found}


def _sizes(tx: Transaction, scope: Scope) -> dict[str, int]:
    sizes = area.sizes(tx, scope)
    live = _live_values(tx, scope, [key for key in LIVE_KEYS if key not in sizes])
    return sizes | {key: json_value.size_of(key, value, orjson.loads(value)) for key, value in live.items()}


def _live_values(tx: Transaction, scope: Scope, keys: Iterable[str]) -> dict[str, bytes]:
    """`history` and `activeSessionId` from the rows, where the profile has a live conversation."""
    wanted = set(keys)
    own = entries.live(tx, scope) if wanted else None
    if own is None:
        return {}
    found: dict[str, bytes] = {}
    if "activeSessionId" in wanted and own.chat_id:  # storage.set of `history` alone must not make a second key appear
        found["activeSessionId"] = orjson.dumps(own.chat_id)
    if "history" in wanted:
        from sidekeep.service import messages
        from sidekeep.store import transcripts

        found["history"] = messages.verbatim(tx, transcripts.messages(tx, own.session_id))
    return found


def _as_messages(value: Any, now_ms: int) -> list[Prepared] | None:
    """The messages of a `history` that can be kept as rows; None where it is something else, which is kept as it is."""
    from sidekeep.errors import InvalidParams
    from sidekeep.service import messages

    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return None
    try:
        return [messages.prepare(item, now_ms, verbatim=True) for item in value]
    except InvalidParams:
        return None


def _replace_history(tx: Transaction, scope: Scope, history: list[Prepared], now_ms: int) -> None:
    from sidekeep.service import live

    live.replace_all(tx, scope, history, now_ms)


def _changes(old: dict[str, bytes], new: dict[str, bytes]) -> Changes:
    changed: Changes = {}
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        if before is None or after is None or not json_value.equal(before, after):
            changed[key] = Change(before, after)
    return changed
