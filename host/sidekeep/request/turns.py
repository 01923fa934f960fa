"""Where a conversation may be cut: between turns, and not between a question and the few words that answer it."""

from collections.abc import Sequence

from sidekeep.domain.turns import turn_starts
from sidekeep.request.view import Entry

# An answer of the person up to this length says nothing without the question that it answers.
SHORT_ANSWER_CHARACTERS = 80
_QUESTION_MARKS = frozenset("?？؟")
_LAST_WORDS = 200


def starts(entries: Sequence[Entry]) -> list[int]:
    """The index at which each turn begins; instructions (role system) are in none."""
    said = [index for index, entry in enumerate(entries) if entry.role != "system"]
    return [said[start] for start in turn_starts([entries[index] for index in said])]


def question_before(entries: Sequence[Entry], start: int) -> int | None:
    """The index of the assistant's question which the turn at `start` answers in a few words; None where it does not."""
    answer = entries[start]
    if answer.role != "user" or answer.is_attachment or answer.characters > SHORT_ANSWER_CHARACTERS:
        return None
    before = next((index for index in range(start - 1, -1, -1) if entries[index].role != "system"), None)
    return before if before is not None and _asks(entries[before]) else None


def _asks(entry: Entry) -> bool:
    ends = entry.text[-_LAST_WORDS:]
    return entry.role == "assistant" and not entry.tool_calls and not _QUESTION_MARKS.isdisjoint(ends)
