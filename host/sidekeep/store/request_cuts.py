"""Where the last request of a conversation was cut, so that the next one begins alike. It can be made again at any time."""

from collections.abc import Mapping
from typing import Any

import orjson

from sidekeep.domain.chat import SessionId
from sidekeep.store.database import Transaction


def find(tx: Transaction, session_id: SessionId) -> dict[str, Any]:
    """What was noted; {} where nothing was."""
    for (cut_json,) in tx.execute("SELECT cut_json FROM request_cuts WHERE session_id = ?", (session_id,)):
        cut: dict[str, Any] = orjson.loads(cut_json)
        return cut
    return {}


def put(tx: Transaction, session_id: SessionId, cut: Mapping[str, Any]) -> None:
    """Note it in the place of the last one. The transcript is there."""
    tx.execute("INSERT OR REPLACE INTO request_cuts VALUES (?, ?)", (session_id, orjson.dumps(cut).decode()))
