"""Compaction: a summary takes the place of a chat's older part (docs/design.md, Compaction)."""

from collections.abc import Sequence
from typing import Any

from sidekeep.domain.turns import Said, turn_starts

# The newest turns stay word for word where whoever asks for a compaction names no other place.
KEPT_TURNS = 2

SUMMARY_HEADER = "[Summary of the earlier conversation]"
# The member of a message that tells a summary from a question; its value is the checkpoint that has the whole.
SUMMARY_MEMBER = "summaryOf"


def first_kept(messages: Sequence[Said]) -> int:
    """The index of the first message that stays word for word; 0 where there is nothing to summarise."""
    starts = turn_starts(messages)
    return starts[-KEPT_TURNS] if len(starts) > KEPT_TURNS else 0


def summary_message(summary: str, checkpoint_id: str) -> dict[str, Any]:
    """The marked message, of the user's role, that stands for what was summarised: a model takes an assistant's for its own."""
    return {"role": "user", "content": summary_text(summary), SUMMARY_MEMBER: checkpoint_id}


def summary_text(summary: str) -> str:
    """What such a message says."""
    return f"{SUMMARY_HEADER}\n\n{summary}"
