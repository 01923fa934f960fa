"""Sidekeep's own export (docs/export.md). Its parts are given as they are: what becomes of them needs the store."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sidekeep.errors import Unreadable
from sidekeep.transfer import json_text
from sidekeep.transfer.documents import Document
from sidekeep.transfer.outline import Outline
from sidekeep.transfer.secrets import without_secrets
from sidekeep.transfer.values import parsed
from sidekeep.transfer.writers.json_document import FORMAT, VERSION

SOURCE = FORMAT

# A message has at most 254 levels (orjson writes no more), and lies in a transcript of a chat.
_MAX_DEPTH = 300

Id = Annotated[str, Field(min_length=1, max_length=200)]
Millis = Annotated[int, Field(ge=-(2**53), le=2**53)]
Count = Annotated[int, Field(ge=0, le=2**53)]


class _Own(BaseModel):
    """A record that Sidekeep wrote: nothing in it is of the wrong type."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class OwnItem(_Own):
    """A message as it stood in its transcript."""

    id: Id
    createdAt: Millis
    message: dict[str, Any]


class OwnEntry(_Own):
    """A chat's entry; further members are kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    id: Id
    sessionId: str
    name: str
    createdAt: Millis
    updatedAt: Millis
    pinned: bool
    folder: str | None
    revision: Count
    listed: bool
    compactionCheckpoints: list[dict[str, Any]] = []
    usageFamilySessionIds: list[str] = []


class OwnChat(_Own):
    """A chat's entry, and every transcript that its family names, by session id, its own first."""

    entry: OwnEntry
    transcripts: dict[Id, list[OwnItem]]


class OwnLiveEntry(_Own):
    sessionId: Id
    chatId: str
    chatRevision: Count
    showsChat: bool
    usage: Any = None


class OwnLiveChat(_Own):
    entry: OwnLiveEntry
    transcripts: dict[Id, list[OwnItem]]


class OwnLive(_Own):
    profile: str
    conversation: OwnLiveChat


class OwnFolder(_Own):
    id: Id
    name: str
    excluded: bool
    createdAt: Millis


class OwnArchive(_Own):
    """What had left: its fields as the archive has them, and its messages."""

    id: Id
    sessionId: Id
    chatId: str
    name: str
    folder: str | None
    reason: Literal["reset", "deleted"]
    evicted: bool
    part: Literal["chat", "earlier", "messages"]
    archivedAt: Millis
    messages: list[OwnItem]


class OwnImport(_Own):
    """What an import from another program was, as store/imports.py has it. `content` is a hash in hex."""

    fingerprint: Annotated[str, Field(min_length=1, max_length=2000)]
    content: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    messages: Annotated[int, Field(ge=1, le=2**53)]
    chatId: Id
    revision: Count
    kept: list[Any]


def check(outline: Outline) -> None:
    """Raises Unreadable for a version that this program does not know."""
    version = outline.marks.get("version")
    if not isinstance(version, (int, Decimal)) or not 1 <= version <= VERSION:
        raise Unreadable(
            f"It was written by a newer Sidekeep (format {version}; this reads {VERSION}). Update Sidekeep."
        )


def pictures(document: Document) -> Iterator[tuple[str, str]]:
    """Hash in hex, and base64 text."""
    with document.open() as raw:
        for sha256, text in json_text.members(raw, "pictures"):
            yield sha256, text if isinstance(text, str) else "no text"


def records(document: Document, section: str) -> Iterator[tuple[str, Any]]:
    """The records of a section, each with its place."""
    with document.open() as raw:
        for number, record in enumerate(json_text.values(raw, f"{section}.item")):
            yield f"{document.name}: {section}[{number}]", record


def folder(record: Any) -> OwnFolder:
    """Raises Unreadable, as the others here do."""
    return parsed(OwnFolder, _own(record))


def chat(record: Any) -> OwnChat:
    return parsed(OwnChat, _own(record))


def live(record: Any) -> OwnLive:
    return parsed(OwnLive, _own(record))


def archive(record: Any) -> OwnArchive:
    return parsed(OwnArchive, _own(record))


def imported(record: Any) -> OwnImport:
    return parsed(OwnImport, _own(record))


def _own(record: Any) -> Any:
    """The record as it may come back: a file that says it is ours may hold what no export of ours does."""
    return without_secrets(_plain(record))


def _plain(value: Any, depth: int = 0) -> Any:
    """The value with floats for decimals, and nothing else changed: what was exported comes back exactly."""
    if depth > _MAX_DEPTH:
        raise Unreadable(f"It is nested more than {_MAX_DEPTH} levels deep.")
    if type(value) is int and not json_text.FIRST_INT <= value <= json_text.LAST_INT:
        raise Unreadable("A number in it is larger than any that Sidekeep writes.")
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: _plain(item, depth + 1) for name, item in value.items()}
    return [_plain(item, depth + 1) for item in value] if isinstance(value, list) else value
