"""Checkpoints of a chat: moments at which its transcript was replaced, and which lead back to what it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sidekeep.domain.chat import SessionId

MAX_CHECKPOINTS = 25


class Checkpoint(NamedTuple):
    """A member of an entry's `compactionCheckpoints`. An imported one may lack anything, and may have more, which stays."""

    fields: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.fields.get("id", ""))

    @property
    def created_at_ms(self) -> int:
        at_ms = self.fields.get("createdAt")
        return at_ms if type(at_ms) is int else 0

    @property
    def reason(self) -> str:
        """ "compact" or "restore"; an imported one may have another."""
        return str(self.fields.get("reason", ""))

    @property
    def before(self) -> SessionId:
        """The transcript as it was; "" where the checkpoint names none."""
        return self._session("preCompaction")

    @property
    def after(self) -> SessionId:
        """The transcript that took its place."""
        return self._session("postCompaction")

    @property
    def sessions(self) -> set[str]:
        """The transcripts that it names."""
        return {name for name in (self.before, self.after) if name}

    def _session(self, side: str) -> SessionId:
        reference = self.fields.get(side)
        session_id: Any = reference.get("sessionId") if isinstance(reference, dict) else ""
        return session_id if isinstance(session_id, str) else ""  # type: ignore[return-value]  # a NewType of str


def new(checkpoint_id: str, at_ms: int, reason: str, before: SessionId, after: SessionId) -> Checkpoint:
    """A checkpoint made now."""
    return Checkpoint(
        {
            "id": checkpoint_id,
            "createdAt": at_ms,
            "reason": reason,
            "preCompaction": {"sessionId": before},
            "postCompaction": {"sessionId": after},
        }
    )
