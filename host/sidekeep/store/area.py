"""Keys and values of the storage areas, each namespace its own. Values are JSON as it was given."""

from collections.abc import Iterable

from sidekeep.domain.area_keys import PROFILE_KEYS
from sidekeep.domain.scope import Scope
from sidekeep.store.database import Transaction

# Keys of the profile are read from its own rows, all others from the rows that every profile shares.
_VISIBLE = "profile = iif(key IN ({}), ?, '')".format(", ".join(f"'{key}'" for key in sorted(PROFILE_KEYS)))


def get(tx: Transaction, scope: Scope, keys: Iterable[str]) -> dict[str, bytes]:
    """The values of those keys that are there."""
    found: dict[str, bytes] = {}
    for key in keys:
        for (value,) in tx.execute(
            "SELECT value FROM area WHERE namespace = ? AND profile = ? AND key = ?", (*_place(scope, key), key)
        ):
            found[key] = value
    return found


def keys(tx: Transaction, scope: Scope) -> list[str]:
    """Every key, in order of its UTF-8 bytes."""
    rows = tx.execute(
        f"SELECT key FROM area WHERE namespace = ? AND {_VISIBLE} ORDER BY key",  # noqa: S608  a constant
        (scope.namespace, scope.profile),
    )
    return [key for (key,) in rows]


def sizes(tx: Transaction, scope: Scope) -> dict[str, int]:
    """The size of every key in bytes, key and value together."""
    rows = tx.execute(
        f"SELECT key, bytes FROM area WHERE namespace = ? AND {_VISIBLE}",  # noqa: S608  a constant
        (scope.namespace, scope.profile),
    )
    return dict(rows)


def put(tx: Transaction, scope: Scope, key: str, value: bytes, size: int) -> None:
    tx.execute(
        "INSERT INTO area (namespace, profile, key, bytes, value) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (namespace, profile, key) DO UPDATE SET bytes = excluded.bytes, value = excluded.value",
        (*_place(scope, key), key, size, value),
    )


def remove(tx: Transaction, scope: Scope, key: str) -> None:
    tx.execute("DELETE FROM area WHERE namespace = ? AND profile = ? AND key = ?", (*_place(scope, key), key))


def _place(scope: Scope, key: str) -> tuple[str, str]:
    return scope.namespace, scope.profile if key in PROFILE_KEYS else ""
