"""Keys and values of the storage areas, each namespace its own. Values are JSON as it was given."""

from collections.abc import Iterable

from sidekeep.domain.area_keys import PROFILE_KEYS
from sidekeep.domain.scope import Scope
from sidekeep.store.database import Transaction

# Keys of the profile are read from its own rows, all others from the rows that every profile shares.
_VISIBLE = "profile = iif(key IN ({}), ?, '')".format(", ".join(f"'{key}'" for key in sorted(PROFILE_KEYS)))

# Several keys are one statement: a statement costs more than what it finds.
_LOOK_UP = (
    "SELECT key, value FROM area JOIN area_values USING (value_pk) WHERE namespace = ? AND profile = ? AND key IN (%s)"
)
_AT_ONCE = 32


def get(tx: Transaction, scope: Scope, keys: Iterable[str]) -> dict[str, bytes]:
    """The values of those keys that are there."""
    places: dict[tuple[str, str], list[str]] = {}
    for key in keys:
        places.setdefault(_place(scope, key), []).append(key)
    found: dict[str, bytes] = {}
    for place, wanted in places.items():
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            found.update(tx.execute(_LOOK_UP % ",".join("?" * len(some)), (*place, *some)))
    return found


def value_key(tx: Transaction, scope: Scope, key: str) -> int | None:
    """The row that has a key's value; None where the key is not there."""
    for (value_pk,) in tx.execute(
        "SELECT value_pk FROM area WHERE namespace = ? AND profile = ? AND key = ?", (*_place(scope, key), key)
    ):
        return int(value_pk)
    return None


def value(tx: Transaction, value_pk: int) -> bytes | None:
    """The value in a row; None where it is gone."""
    for (found,) in tx.execute("SELECT value FROM area_values WHERE value_pk = ?", (value_pk,)):
        return bytes(found)
    return None


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
    """Let a key have that value, JSON; `size` is what it counts in the area. A value it has already is not written again."""
    place = (*_place(scope, key), key)
    there = tx.execute(
        "SELECT value_pk FROM area WHERE namespace = ? AND profile = ? AND key = ? AND bytes = ?", (*place, size)
    ).fetchone()
    if (
        there is not None
        and tx.execute("SELECT 1 FROM area_values WHERE value_pk = ? AND value = ?", (there[0], value)).fetchone()
    ):
        return
    tx.execute("INSERT INTO area_values (value) VALUES (?)", (value,))
    tx.execute("INSERT OR REPLACE INTO area VALUES (?, ?, ?, ?, ?)", (*place, size, tx.last_insert_rowid()))


def remove(tx: Transaction, scope: Scope, key: str) -> None:
    """Let a key be absent. Its value stays until no change names it any more: changes.prune."""
    tx.execute("DELETE FROM area WHERE namespace = ? AND profile = ? AND key = ?", (*_place(scope, key), key))


def _place(scope: Scope, key: str) -> tuple[str, str]:
    return scope.namespace, scope.profile if key in PROFILE_KEYS else ""
