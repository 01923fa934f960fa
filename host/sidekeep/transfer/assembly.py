"""From a tree of records to a conversation: which rows are shown, where branches leave, what is kept beside."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import orjson

from sidekeep.transfer.conversation import Branch, Message
from sidekeep.transfer.tree import Node, ways


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a tree. `messages` are what is shown of it (an attachment and its question are two); none where it is hidden.
    `reasoning` belongs to the next answer. `kept` is the record as it was, where it is not all in the messages. `first_kept`
    makes its message the summary of a compaction: what stands from that node on stays word for word."""

    node: Node
    messages: tuple[Message, ...] = ()
    reasoning: str = ""
    kept: Any = None
    first_kept: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    messages: tuple[Message, ...]
    branches: tuple[Branch, ...]
    kept: tuple[Any, ...]


def shown(rows: Sequence[Row], current: str) -> Shown:
    """The main path's messages, and each branch that shows something which no earlier way shows. Raises Unreadable."""
    by_id = {row.node.id: row for row in rows}
    found = ways([row.node for row in by_id.values()], current)
    main = _messages(found.main, by_id)
    told: _Told = {}
    _tell(told, main)
    branches: list[Branch] = []
    for own, way in found.others:
        messages = _messages(way, by_id)
        shared = _tell(told, messages)
        if shared < len(messages):
            branches.append(Branch(own, messages, messages[shared - 1].id if shared else ""))
    unreachable = [by_id[node].kept for node in found.unreachable]
    kept = [row.kept for row in rows if row.kept is not None]
    return Shown(main, tuple(branches), (*kept, *(record for record in unreachable if record is not None)))


def unique_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The same messages; an id that comes twice gets a number, because within a chat a message is known by it."""
    counts: dict[str, int] = {}
    named: list[Message] = []
    for message in messages:
        count = counts[message.id] = counts.get(message.id, 0) + 1
        named.append(message if count == 1 else replace(message, id=f"{message.id}-{count}"))
    return tuple(named)


def content_id(*values: Any) -> str:
    """An id for what has none: a hash of what it holds, so that the same file read twice is known again."""
    text = orjson.dumps(values, option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.sha256(text).hexdigest()[:32]


def _messages(way: Iterable[str], rows: Mapping[str, Row]) -> tuple[Message, ...]:
    found: list[Message] = []
    thoughts: list[str] = []
    said_before: dict[str, int] = {}
    said = 0
    for node in way:
        row = rows[node]
        said_before[node] = said
        if row.first_kept is not None:
            found += (replace(each, stays=_stays(row.first_kept, said_before, said)) for each in row.messages)
            continue
        said += len(row.messages)
        if row.reasoning:
            thoughts.append(row.reasoning)
        for message in row.messages:
            is_answer = message.role == "assistant"
            found.append(_with_reasoning(message, thoughts) if is_answer and thoughts else message)
            thoughts = [] if is_answer else thoughts
    return unique_ids(found)


def _stays(first_kept: str, said_before: Mapping[str, int], said: int) -> int | None:
    """How many of the `said` messages before a summary stay: none where its file names no place among them, as the program that
    wrote it has it. A summary before which nothing is said stands for what is not in the file."""
    return said - said_before.get(first_kept, said) if said else None


def _with_reasoning(message: Message, thoughts: Sequence[str]) -> Message:
    own = message.extra.get("reasoning")
    return replace(message, extra={**message.extra, "reasoning": "\n\n".join([*thoughts, own] if own else thoughts)})


# Every way that was told, as a tree of message ids.
_Told: TypeAlias = dict[str, "_Told"]


def _tell(told: _Told, messages: Sequence[Message]) -> int:
    """Add a way. Returns how many of its messages an earlier way has at its beginning."""
    shared = 0
    is_new = False
    for message in messages:
        is_new = is_new or message.id not in told
        told = told.setdefault(message.id, {})
        shared += not is_new
    return shared
