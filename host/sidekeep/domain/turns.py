"""Where the turns of a conversation begin: a question with the attachments before it, and what answers it."""

from collections.abc import Sequence
from typing import Protocol


class Said(Protocol):
    """What of a message decides where a turn begins."""

    @property
    def role(self) -> str: ...

    @property
    def attach_id(self) -> str | None: ...


def is_question(message: Said) -> bool:
    """Whether a person asks something in it: an attachment is a user's entry too, and asks nothing."""
    return message.role == "user" and message.attach_id is None


def turn_starts(messages: Sequence[Said]) -> list[int]:
    """The indices at which turns begin, in order; what stands before the first question belongs to its turn.

    A question that was never answered is a turn of its own.
    """
    starts = [
        index
        for index, message in enumerate(messages)
        if message.role == "user"
        and (index == 0 or messages[index - 1].role != "user" or is_question(messages[index - 1]))
    ]
    return [0, *starts[1:]] if messages else []


def oldest_turns(messages: Sequence[Said], excess: int) -> int:
    """How many messages of the oldest whole turns leave so that at least `excess` of them do.

    The newest turn stays. Where there is no other to take from, single messages of it leave.
    """
    if excess <= 0:
        return 0
    starts = turn_starts(messages)
    whole = [start for start in starts if start >= excess]
    return whole[0] if whole else max(starts[-1] if starts else 0, excess)
