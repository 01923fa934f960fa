"""Settings that a panel set, and the limits that are in force. settings.toml is no business of the store's."""

import json  # read before hello is answered, where orjson is not there yet
from collections.abc import Mapping
from typing import Any, NamedTuple

from sidekeep.store.database import Transaction


class Kept(NamedTuple):
    """Values by key, as docs/settings.md names them."""

    panel: Mapping[str, Any]
    in_force: Mapping[str, int]


def read(tx: Transaction) -> Kept:
    """All there is."""
    panel = {key: json.loads(value) for key, value in tx.execute("SELECT key, value FROM panel_settings")}
    in_force = {key: int(value) for key, value in tx.execute("SELECT key, value FROM limits_in_force")}
    return Kept(panel, in_force)


def put(tx: Transaction, values: Mapping[str, Any]) -> None:
    """Set values; None takes one away."""
    for key, value in values.items():
        if value is None:
            tx.execute("DELETE FROM panel_settings WHERE key = ?", (key,))
        else:
            tx.execute("INSERT OR REPLACE INTO panel_settings VALUES (?, ?)", (key, json.dumps(value)))


def put_in_force(tx: Transaction, limits: Mapping[str, int]) -> None:
    """Let these limits be in force."""
    for key, value in limits.items():
        tx.execute("INSERT OR REPLACE INTO limits_in_force VALUES (?, ?)", (key, value))
