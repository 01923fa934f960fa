"""The storage area: storage.* with the semantics of chrome.storage.local (docs/protocol.md, Storage area).

`history` and `activeSessionId` are read from the live conversation's rows unless storage.set was the last to write them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sidekeep.domain import json_value, plain_json, providers
from sidekeep.domain.area_keys import GET_ALL_KEYS, light_defaults
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.errors import InvalidParams, QuotaExceeded
from sidekeep.service import key_values
from sidekeep.service.clock import Clock
from sidekeep.service.key_values import SAVED_SESSIONS, SESSION_PREFIX
from sidekeep.service.writing import Write, Writes
from sidekeep.store import area, provider_keys
from sidekeep.store.database import Database

if TYPE_CHECKING:
    from sidekeep.service.keys import Keys
    from sidekeep.service.messages import Prepared


class Area:
    """One store's areas."""

    def __init__(self, database: Database, clock: Clock, keys: Callable[[], Keys]) -> None:
        self._database = database
        self._clock = clock
        self._writes = Writes(database, clock)
        self._keys_of_providers = keys
        self._light: dict[Scope, tuple[object, dict[str, Any]]] = {}

    def get(self, scope: Scope, keys: Iterable[str] | None) -> dict[str, bytes]:
        """The values of those keys that are there, or of all, in order of the keys' UTF-8 bytes."""
        with self._database.reading() as tx:
            wanted = key_values.names(tx, scope) if keys is None else sorted(set(keys))
            return key_values.values(tx, scope, wanted)

    def get_all(self, scope: Scope) -> dict[str, Any]:
        """The light keys, defaults filled in; providers merged with the built-in ones, each with keySet.

        Asked for whenever a page opens: what was read last is given again while nothing is written.
        """
        mark = self._database.mark()
        seen = self._light.get(scope)
        if seen is None or seen[0] != mark:
            seen = self._light[scope] = mark, self._read_all(scope)
        return seen[1]

    def _read_all(self, scope: Scope) -> dict[str, Any]:
        items = light_defaults()
        with self._database.reading() as tx:
            for key, value in key_values.values(tx, scope, GET_ALL_KEYS).items():
                items[key] = plain_json.read(value)
            with_key = provider_keys.everywhere(tx, scope.namespace)
        stored = items["providers"] if isinstance(items["providers"], dict) else {}
        items["providers"] = {
            name: {**fields, "keySet": bool(with_key) and (name, providers.provider_from(fields).origin) in with_key}
            for name, fields in providers.merged(stored).items()
        }
        return items

    def set(self, scope: Scope, items: dict[str, Any], *, quota_bytes: int | None = None) -> None:
        """Write keys, all or none. An `apiKey` in providers goes to the key store and reads back as absent.

        Raises QuotaExceeded where all keys and values would then take more than `quota_bytes`.
        """
        if scope.namespace == SIDEKEEP and "providers" in items:
            items = {**items, "providers": self._without_keys(scope, items["providers"])}
        prepared = {key: _Prepared(key, value, self._clock(), self._is_known) for key, value in items.items()}
        with self._writes.begin(scope) as write:
            write.touch(*prepared)
            for value in prepared.values():
                value.put(write)
            if quota_bytes is not None and sum(key_values.sizes(write.tx, scope, None).values()) > quota_bytes:
                raise QuotaExceeded(
                    f"The area would take more than its quota of {quota_bytes} bytes. Nothing was written."
                )

    def remove(self, scope: Scope, keys: Iterable[str]) -> None:
        """Remove keys; those that are not there are no error."""
        with self._writes.begin(scope) as write:
            _remove(write, sorted(set(keys)))

    def clear(self, scope: Scope) -> None:
        """Remove every key that this caller sees."""
        with self._writes.begin(scope) as write:
            _remove(write, key_values.names(write.tx, scope))

    def keys(self, scope: Scope) -> list[str]:
        """Every key that is there, in order of its UTF-8 bytes."""
        with self._database.reading() as tx:
            return key_values.names(tx, scope)

    def bytes_in_use(self, scope: Scope, keys: Iterable[str] | None) -> int:
        """Bytes of the keys and their values; a key named twice counts twice."""
        with self._database.reading() as tx:
            sizes = key_values.sizes(tx, scope, None if keys is None else set(keys))
            return sum(sizes.values()) if keys is None else sum(sizes.get(key, 0) for key in keys)

    def _is_known(self, sha256: bytes) -> bool:
        from sidekeep.store import blobs

        with self._database.reading() as tx:
            return bool(blobs.known(tx, (sha256,)))

    def _without_keys(self, scope: Scope, stored: Any) -> Any:
        """Providers without their keys, which go to the key store, each for the base URL it came with."""
        if isinstance(stored, dict):
            complete = providers.merged(stored)
            for name, fields in stored.items():
                key = fields.get("apiKey") if isinstance(fields, dict) else None
                if isinstance(key, str) and key:
                    self._keys_of_providers().put(scope, providers.provider_from(complete[name]), key)
        return providers.without_keys(stored)


class _Prepared:
    """A key's new value, made ready before the transaction: examining pictures takes time. Those that the store has, as most
    are where a conversation is set again with a message more, are not examined."""

    def __init__(self, key: str, value: Any, now_ms: int, is_known: Callable[[bytes], bool]) -> None:
        self._key = key
        self._value = value
        self._json = _encoded(key, value)
        self._messages = (
            _prepared(value, now_ms, is_known) if key == "history" or key.startswith(SESSION_PREFIX) else None
        )

    def put(self, write: Write) -> None:
        """Write it: messages as rows, anything else as it is."""
        if self._messages is None:
            _remove_one(write, self._key)
            area.put(
                write.tx, write.scope, self._key, self._json, json_value.size_of(self._key, self._json, self._value)
            )
            if self._key == SAVED_SESSIONS:
                from sidekeep.service import session_index

                session_index.follow(write.tx, write.scope.namespace, self._value, write.now_ms)
            return
        from sidekeep.service import bodies, live

        area.remove(write.tx, write.scope, self._key)
        if self._key == "history":
            live.replace_all(write, self._messages)
        else:
            bodies.replace_body(write, self._key.removeprefix(SESSION_PREFIX), self._messages)


def _remove(write: Write, keys: list[str]) -> None:
    write.touch(*keys)
    for key in keys:
        _remove_one(write, key)


def _remove_one(write: Write, key: str) -> None:
    """Let a key be absent: what was set, and the rows that back it."""
    area.remove(write.tx, write.scope, key)
    if key != "activeSessionId" and not key_values.is_heavy(key):
        return
    from sidekeep.service import bodies, live, session_index

    if key == "history":
        live.forget(write)
    elif key == "activeSessionId":
        live.hide_chat(write)
    elif key == SAVED_SESSIONS:
        session_index.follow(write.tx, write.scope.namespace, [], write.now_ms)
    else:
        bodies.remove_body(write, key.removeprefix(SESSION_PREFIX))


def _encoded(key: str, value: Any) -> bytes:
    try:
        return plain_json.write(value)
    except TypeError as exc:  # browsers send at most 100 levels
        raise InvalidParams.at(f"items.{key[:100]}", "is nested too deeply") from exc


def _prepared(value: Any, now_ms: int, is_known: Callable[[bytes], bool]) -> list[Prepared] | None:
    from sidekeep.service import messages

    return messages.prepare_all(value, now_ms, is_known=is_known)
