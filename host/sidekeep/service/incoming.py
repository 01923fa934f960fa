"""A conversation of another program, made ready to become chats. Outside of a transaction: examining pictures takes time."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from sidekeep.domain.chat import given_name
from sidekeep.domain.compaction import SUMMARY_MEMBER
from sidekeep.service import messages
from sidekeep.service.messages import Prepared
from sidekeep.transfer.conversation import Conversation, Image, Message, Missing, Part


@dataclass(frozen=True, slots=True)
class Incoming:
    """One way through a conversation, ready to be written. `hashes` are of its messages: the n-th of the first n. `compactions`
    are the places of summaries among them, in order, each with how many messages that were said before it stay beside it."""

    fingerprint: str
    name: str
    created_at_ms: int
    updated_at_ms: int
    pinned: bool
    prepared: tuple[Prepared, ...]
    hashes: tuple[bytes, ...]
    forked_at: str | None = None
    kept: tuple[Any, ...] = ()
    compactions: Mapping[int, int] = field(default_factory=dict)

    def first_compaction(self, start: int) -> int | None:
        """The place of the first one from `start` on."""
        return next((place for place in self.compactions if place >= start), None)


def incoming(conversation: Conversation, now_ms: int) -> tuple[Incoming, ...]:
    """The conversation's ways, the current one first. Raises InvalidParams."""
    start_ms = conversation.created_at_ms if conversation.created_at_ms is not None else now_ms
    main = _way(conversation, conversation.fingerprint, conversation.messages, start_ms, now_ms)
    branches = (
        _way(
            conversation, f"{conversation.fingerprint}/{branch.id}", branch.messages, start_ms, now_ms, branch.forked_at
        )
        for branch in conversation.branches
    )
    return (main, *branches)


def _way(
    conversation: Conversation,
    fingerprint: str,
    said: Sequence[Message],
    start_ms: int,
    now_ms: int,
    forked_at: str | None = None,
) -> Incoming:
    shaped: list[dict[str, Any]] = []
    at_ms = start_ms
    for message in said:
        at_ms = message.created_at_ms if message.created_at_ms is not None else at_ms
        shaped.append(_shaped(message, at_ms))
    is_main = forked_at is None
    ended_ms = conversation.updated_at_ms if is_main else None
    return Incoming(
        fingerprint,
        given_name(conversation.title),
        start_ms,
        ended_ms if ended_ms is not None else at_ms,
        conversation.pinned and is_main,
        tuple(messages.prepare(each, now_ms) for each in shaped),
        tuple(_hashes(shaped, [message.stays for message in said])),
        forked_at,
        conversation.kept if is_main else (),
        {place: message.stays for place, message in enumerate(said) if message.stays is not None},
    )


def _shaped(message: Message, at_ms: int) -> dict[str, Any]:
    """MESSAGE. What is missing is a text that says so, with the rest beside it."""
    parts = [_part(part) for part in message.content]
    is_text = all(part["type"] == "text" and "missing" not in part for part in parts)
    content: Any = "\n\n".join(part["text"] for part in parts) if is_text else parts
    marks = {} if message.stays is None else {SUMMARY_MEMBER: message.id}
    return {**message.extra, **marks, "id": message.id, "role": message.role, "content": content, "createdAt": at_ms}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Image):
        return {"type": "image_url", "image_url": {"url": part.url}}
    if isinstance(part, Missing):
        missing = {"kind": part.kind, "name": part.name, "ref": part.ref}
        return {"type": "text", "text": part.placeholder, "missing": missing}
    return {"type": "text", "text": part.text}


def _hashes(shaped: Sequence[dict[str, Any]], stays: Sequence[int | None]) -> Iterator[bytes]:
    """Times are left out: a program that knows none tells other ones each time."""
    total = hashlib.sha256()
    for message, kept in zip(shaped, stays, strict=True):
        untimed = {name: value for name, value in message.items() if name != "createdAt"}
        total.update(orjson.dumps(untimed, option=orjson.OPT_SORT_KEYS))
        total.update(b"" if kept is None else b"%d" % kept)
        yield total.digest()
