"""Checkpoints of a chat: moments at which its transcript was replaced, and which lead back to what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sidekeep.domain.chat import SessionId

MAX_CHECKPOINTS = 25


class Checkpoint(NamedTuple):
    """`before` names the transcript as it was, `after` what took its place; `reason` is "compact" or "restore"."""

    id: str
    created_at_ms: int
    reason: str
    before: SessionId
    after: SessionId

    def as_entry(self) -> dict[str, Any]:
        """As an entry's `compactionCheckpoints` has it."""
        return {
            "id": self.id,
            "createdAt": self.created_at_ms,
            "reason": self.reason,
            "preCompaction": {"sessionId": self.before},
            "postCompaction": {"sessionId": self.after},
        }


def from_entry(item: Any) -> Checkpoint | None:
    """A checkpoint of an entry; None where it has another shape (then it counts for the family alone)."""
    if not isinstance(item, dict):
        return None
    before, after = (_session_of(item.get(side)) for side in ("preCompaction", "postCompaction"))
    if not isinstance(item.get("id"), str) or type(item.get("createdAt")) is not int or not before or not after:
        return None
    return Checkpoint(item["id"], item["createdAt"], str(item.get("reason", "")), before, after)


def _session_of(side: Any) -> SessionId | None:
    session_id: Any = side.get("sessionId") if isinstance(side, dict) else None
    return session_id if isinstance(session_id, str) else None  # type: ignore[return-value]  # a NewType of str
