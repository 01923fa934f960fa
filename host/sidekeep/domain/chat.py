"""Saved chats and the live conversation as entries, and how a chat gets its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, NewType

from sidekeep.domain import graphemes
from sidekeep.domain.checkpoint import Checkpoint
from sidekeep.domain.usage import Usage

ChatId = NewType("ChatId", str)
SessionId = NewType("SessionId", str)

NO_CHAT = ChatId("")
NO_SESSION = SessionId("")

NAME_CHARS = 80
DERIVED_NAME_CHARS = 48


class Measure(NamedTuple):
    """How large a chat is to the storage area, kept with it so that no question about bytes reads its messages.

    `area_bytes` is the JSON of its messages, pixels included; `digest_chars` (-1 while there is no message) and `digest_bytes`
    are the textDigest's length and the bytes of its JSON, without quotes. `bytes` is what the messages take in the store, with
    their pictures as files: a list of chats tells it of each.
    """

    messages: int = 0
    area_bytes: int = 0
    digest_chars: int = -1
    digest_bytes: int = 0
    bytes: int = 0

    @property
    def size(self) -> ChatSize:
        return ChatSize(self.messages, self.bytes)

    @property
    def body_bytes(self) -> int:
        """The messages as an array."""
        return self.area_bytes + max(self.messages - 1, 0) + len("[]")


class Chat(NamedTuple):
    """A saved chat. `session_id` names its transcript ("" while it has none); `revision` counts the transcript's changes.

    A body that was set through the storage area alone is a chat that is not `listed`. `usage` counts what its answers have taken,
    whatever became of them; `usage_family` names the transcripts that it had before its compactions.
    """

    id: ChatId
    session_id: SessionId
    name: str
    created_at_ms: int
    updated_at_ms: int
    pinned: bool = False
    folder: str | None = None
    revision: int = 0
    listed: bool = True
    measure: Measure = Measure()
    usage: Usage = Usage()
    checkpoints: tuple[Checkpoint, ...] = ()
    usage_family: tuple[SessionId, ...] = ()
    extra: Mapping[str, Any] = MappingProxyType({})


class Live(NamedTuple):
    """A profile's live conversation. `chat_id` is the saved chat it belongs to ("" while it belongs to none), and
    `chat_revision` the revision of that chat which the live rows were last equal to. `shows_chat`: the area's
    `activeSessionId` tells it; a conversation that was only ever set through the area has no such key. `usage` counts what all
    answers in this profile have taken.
    """

    session_id: SessionId
    chat_id: ChatId
    chat_revision: int = 0
    shows_chat: bool = True
    usage: Usage = Usage()


class ChatSize(NamedTuple):
    """How much a transcript holds."""

    messages: int
    bytes: int


def given_name(name: str | None) -> str:
    """A name somebody chose, on one line, at most 80 characters; "" where there is none, or nothing of it can be seen."""
    return graphemes.cut(_line(name or ""), NAME_CHARS).rstrip()


def derived_name(first_user_text: str, created_at_ms: int) -> str:
    """The first user text, at most 48 characters with an ellipsis; else the date."""
    text = _line(first_user_text)
    if not text:
        return _date(created_at_ms)
    if len(text) <= DERIVED_NAME_CHARS:
        return text
    return graphemes.cut(text, DERIVED_NAME_CHARS - 1).rstrip() + "…"


def _line(text: str) -> str:
    """A text on one line; "" for one of blanks, some of which only format what is not there."""
    from unicodedata import category

    line = " ".join(text.split())
    return line if any(category(char)[0] not in "CZ" or category(char) in ("Co", "Cn") for char in line) else ""


def _date(at_ms: int) -> str:
    """A time as a name; "" for one beyond the calendar, such as one that was counted in microseconds."""
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return ""
