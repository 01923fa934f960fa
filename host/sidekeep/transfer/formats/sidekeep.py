"""Sidekeep's own export (docs/export.md). Its parts are given as they are: what becomes of them needs the store."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from sidekeep.errors import Unreadable
from sidekeep.transfer import json_text
from sidekeep.transfer.documents import Document
from sidekeep.transfer.outline import Outline
from sidekeep.transfer.values import Foreign, parsed
from sidekeep.transfer.writers.json_document import FORMAT, VERSION

SOURCE = FORMAT

_Id = Annotated[str, Field(min_length=1, max_length=200)]


class OwnItem(Foreign):
    """A message as it stood in its transcript."""

    id: _Id
    createdAt: int
    message: dict[str, Any]


class OwnChat(Foreign):
    """A chat's entry, and every transcript that its family names, by session id."""

    entry: dict[str, Any]
    transcripts: dict[str, list[OwnItem]]


class OwnLive(Foreign):
    profile: str
    conversation: OwnChat


class OwnFolder(Foreign):
    id: _Id
    name: str
    excluded: bool = False
    createdAt: int


class OwnArchive(Foreign):
    """What had left: its fields as the archive has them, and its messages."""

    id: _Id
    sessionId: _Id
    chatId: str = ""
    name: str = ""
    folder: str | None = None
    reason: str
    evicted: bool = False
    part: str = "chat"
    archivedAt: int
    messages: list[OwnItem]


def check(outline: Outline) -> None:
    """Raises Unreadable for a version that this program does not know."""
    version = outline.marks.get("version")
    if not isinstance(version, (int, Decimal)) or not 1 <= version <= VERSION:
        raise Unreadable(
            f"It was written by a newer Sidekeep (format {version}; this one reads {VERSION}). Update Sidekeep."
        )


def pictures(document: Document) -> Iterator[tuple[str, str]]:
    """Hash in hex, and base64 text."""
    with document.open() as raw:
        for sha256, text in json_text.members(raw, "pictures"):
            if isinstance(text, str):
                yield sha256, text


def records(document: Document, section: str) -> Iterator[tuple[str, Any]]:
    """The records of a section, each with its place."""
    with document.open() as raw:
        for number, record in enumerate(json_text.values(raw, f"{section}.item")):
            yield f"{section}[{number}]", record


def folder(record: Any) -> OwnFolder:
    return parsed(OwnFolder, plain(record))


def chat(record: Any) -> OwnChat:
    return parsed(OwnChat, plain(record))


def live(record: Any) -> OwnLive:
    return parsed(OwnLive, plain(record))


def archive(record: Any) -> OwnArchive:
    return parsed(OwnArchive, plain(record))


def plain(value: Any) -> Any:
    """The value with floats for decimals, and nothing else changed: what was exported comes back exactly."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value
