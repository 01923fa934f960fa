"""Planning a compaction: what is summarised and what stays, in parts that fit the model that writes the summary.

Pure: service/compacting.py asks, and the store changes nothing before a whole summary is there.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sidekeep.domain import compaction
from sidekeep.domain.turns import turn_starts
from sidekeep.request.build import Report
from sidekeep.request.labels import shown
from sidekeep.request.tokens import estimate
from sidekeep.request.view import Entry

# From this share of its window on a chat is offered to be summarised.
OFFERED_PERCENT = 85
# The summary's share of the window, as an answer's allowance, and the most that it may be.
_SUMMARY_PERCENT = 20
_MOST_SUMMARY_TOKENS = 4_000
# For instructions, the template, and what the estimate gets wrong.
_MARGIN_PERCENT = 15
# The newest turns stay word for word unless they take more than this share of the window themselves: then only the last does.
_KEPT_PERCENT = 50

INSTRUCTIONS = (
    "You write the summary that stands for the older part of a conversation, so that it can go on without that part. Keep what "
    "was asked, what was decided, what is still open, and every name, number, identifier, address and quotation that may be "
    "needed again, exactly as written. Write in the conversation's language. Write the summary only: no introduction, no comment."
)

_SPEAKERS = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "Instructions"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is summarised (`covered`, message ids in order), from which message on nothing is, and the texts to summarise,
    each with what the ones before gave. `answer_tokens` is what to allow for each summary.
    """

    covered: tuple[str, ...]
    first_kept: str | None
    parts: tuple[str, ...]
    characters: int
    answer_tokens: int


def plan(entries: Sequence[Entry], window_tokens: int, summaries: Collection[str] = ()) -> Plan | None:
    """How to summarise a conversation; None where there is nothing that a summary could stand for.

    `summaries` are the ids of messages that are summaries themselves: alone they are no reason for another one.
    """
    kept = _first_kept(entries, window_tokens)
    older = [entry for entry in entries[:kept] if entry.parts or entry.tool_calls]
    if all(entry.message_id in summaries for entry in older):
        return None
    answer = answer_tokens(window_tokens)
    room = window_tokens * (100 - _MARGIN_PERCENT) // 100 - 2 * answer - estimate(INSTRUCTIONS)
    return Plan(
        covered=tuple(dict.fromkeys(entry.message_id for entry in entries[:kept])),
        first_kept=entries[kept].message_id if kept < len(entries) else None,
        parts=tuple(_parts(older, max(room, answer))),
        characters=sum(entry.characters for entry in older),
        answer_tokens=answer,
    )


def answer_tokens(window_tokens: int) -> int:
    """What a summary may be long."""
    return min(window_tokens * _SUMMARY_PERCENT // 100, _MOST_SUMMARY_TOKENS)


def request_text(part: str, before: str) -> str:
    """What is asked for one part, with the summary of what stood before it."""
    earlier = f"Summary of what was said before this:\n\n{before}\n\n" if before else ""
    return f"{earlier}Conversation:\n\n{part}\n\nWrite the summary of all of it."


def is_due(report: Report) -> bool:
    """Whether a conversation has grown so far, by its last request, that a summary is offered."""
    left_out = report.messages_dropped > 0
    return left_out or report.estimated_tokens * 100 >= report.window_tokens * OFFERED_PERCENT


def _first_kept(entries: Sequence[Entry], window_tokens: int) -> int:
    """The index of the first entry that stays word for word; 0 where nothing is older than the newest turns."""
    starts = turn_starts(entries)
    if len(starts) < compaction.KEPT_TURNS:
        return 0
    kept = starts[-compaction.KEPT_TURNS]
    tokens = sum(estimate(entry.text) for entry in entries[kept:])
    return starts[-1] if tokens * 100 > window_tokens * _KEPT_PERCENT else kept


def _parts(entries: Sequence[Entry], room: int) -> Iterator[str]:
    """The conversation as text, in pieces of at most `room` tokens, cut between messages where that is possible."""
    part, used = "", 0
    for entry in entries:
        for block in _pieces(_said(entry), room):
            tokens = estimate(block) + 1
            if part and used + tokens > room:
                yield part
                part, used = "", 0
            part, used = f"{part}\n\n{block}" if part else block, used + tokens
    if part:
        yield part


def _said(entry: Entry) -> str:
    """One message as text: who says what, pictures as their labels."""
    labelled = shown(entry, range(1, entry.images + 1))
    calls = "".join(f"\n[calls {call.name}: {call.arguments}]" for call in entry.tool_calls)
    return f"{_SPEAKERS.get(entry.role, 'User')}: {labelled.text}{calls}"


def _pieces(text: str, room: int) -> Iterator[str]:
    """A text in pieces of at most `room` tokens, cut at the last line end of a piece where there is one."""
    while (tokens := estimate(text)) > room:
        length = max(len(text) * room // tokens * 9 // 10, 1)
        end = text.rfind("\n", length // 2, length) + 1 or length
        yield text[:end]
        text = text[end:]
    if text:
        yield text
