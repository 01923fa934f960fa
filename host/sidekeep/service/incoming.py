"""A conversation of another program, made ready to become chats. Outside of a transaction: examining pictures takes time."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

    @property
    def size(self) -> int:
        """Bytes of its messages, with their pictures."""
        return sum(each.message.size for each in self.prepared)


def incoming(conversation: Conversation, now_ms: int) -> tuple[Incoming, ...]:
    """The conversation's ways, the current one first. Raises InvalidParams."""
    ways = _Ways(conversation, now_ms)
    main = ways.made(conversation.fingerprint, conversation.messages)
    branches = (
        ways.made(f"{conversation.fingerprint}/{branch.id}", branch.messages, branch.forked_at)
        for branch in conversation.branches
    )
    return (main, *branches)


class _Ways:
    """The ways through one conversation. A message that several of them have is made ready once."""

    def __init__(self, conversation: Conversation, now_ms: int) -> None:
        self._conversation = conversation
        self._now_ms = now_ms
        self._start_ms = conversation.created_at_ms if conversation.created_at_ms is not None else now_ms
        self._ready: dict[tuple[int, int], tuple[bytes, Prepared]] = {}

    def made(self, fingerprint: str, said: Sequence[Message], forked_at: str | None = None) -> Incoming:
        at_ms = self._start_ms
        ready: list[tuple[bytes, Prepared]] = []
        for message in said:
            at_ms = message.created_at_ms if message.created_at_ms is not None else at_ms
            ready.append(self._message(message, at_ms))
        is_main = forked_at is None
        ended_ms = self._conversation.updated_at_ms if is_main else None
        return Incoming(
            fingerprint,
            given_name(self._conversation.title),
            self._start_ms,
            ended_ms if ended_ms is not None else at_ms,
            self._conversation.pinned and is_main,
            tuple(prepared for _, prepared in ready),
            tuple(_hashes(text for text, _ in ready)),
            forked_at,
            self._conversation.kept if is_main else (),
            {place: message.stays for place, message in enumerate(said) if message.stays is not None},
        )

    def _message(self, message: Message, at_ms: int) -> tuple[bytes, Prepared]:
        """What is hashed of a message, and the message ready to be written."""
        key = (id(message), at_ms)
        if key not in self._ready:
            shaped = _shaped(message, at_ms)
            prepared = messages.prepare(shaped, self._now_ms)
            self._ready[key] = (_hashed(shaped, message.stays), prepared)
        return self._ready[key]


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


def _hashed(shaped: dict[str, Any], stays: int | None) -> bytes:
    """Times are left out: a program that knows none tells other ones each time."""
    untimed = {name: value for name, value in shaped.items() if name != "createdAt"}
    return orjson.dumps(untimed, option=orjson.OPT_SORT_KEYS) + (b"" if stays is None else b"%d" % stays)


def _hashes(texts: Iterable[bytes]) -> Iterator[bytes]:
    total = hashlib.sha256()
    for text in texts:
        total.update(text)
        yield total.digest()
