"""A conversation of another program, made ready to become chats. Outside of a transaction: examining pictures takes time."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from sidekeep.domain.chat import given_name
from sidekeep.service import messages
from sidekeep.service.messages import Prepared
from sidekeep.transfer.conversation import Conversation, Image, Message, Missing, Part


@dataclass(frozen=True, slots=True)
class Incoming:
    """One way through a conversation, ready to be written. `hashes` are of its messages: the n-th of the first n."""

    fingerprint: str
    name: str
    created_at_ms: int
    updated_at_ms: int
    pinned: bool
    prepared: tuple[Prepared, ...]
    hashes: tuple[bytes, ...]
    forked_at: str | None = None
    kept: tuple[Any, ...] = ()


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
        tuple(_hashes(shaped)),
        forked_at,
        conversation.kept if is_main else (),
    )


def _shaped(message: Message, at_ms: int) -> dict[str, Any]:
    """MESSAGE. What is missing is a text that says so, with the rest beside it."""
    parts = [_part(part) for part in message.content]
    is_text = all(part["type"] == "text" and "missing" not in part for part in parts)
    content: Any = "\n\n".join(part["text"] for part in parts) if is_text else parts
    return {**message.extra, "id": message.id, "role": message.role, "content": content, "createdAt": at_ms}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Image):
        return {"type": "image_url", "image_url": {"url": part.url}}
    if isinstance(part, Missing):
        missing = {"kind": part.kind, "name": part.name, "ref": part.ref}
        return {"type": "text", "text": part.placeholder, "missing": missing}
    return {"type": "text", "text": part.text}


def _hashes(shaped: Sequence[dict[str, Any]]) -> Iterator[bytes]:
    """Times are left out: a program that knows none tells other ones each time."""
    total = hashlib.sha256()
    for message in shaped:
        untimed = {name: value for name, value in message.items() if name != "createdAt"}
        total.update(orjson.dumps(untimed, option=orjson.OPT_SORT_KEYS))
        yield total.digest()
