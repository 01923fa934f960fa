"""Sidekeep's own JSON (docs/export.md): everything that is kept, in one file that comes back exactly."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from sidekeep.transfer.exported import ExportedChat, Item

FORMAT = "sidekeep"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Sections:
    """The document's parts, in their order. Each is written as it comes, so memory is what one chat needs.

    `pictures` are hash (hex) and base64; `live` are profiles with their conversation; `archives` are fields and messages;
    `imports` are what came from other programs, so that it is known again.
    """

    pictures: Iterable[tuple[str, bytes]]
    folders: Iterable[Mapping[str, Any]]
    chats: Iterable[ExportedChat]
    live: Iterable[tuple[str, ExportedChat]] = ()
    archives: Iterable[tuple[Mapping[str, Any], Iterable[Item]]] = ()
    imports: Iterable[Mapping[str, Any]] = ()


def write(sections: Sections, *, exported_at_ms: int, host: str, is_redacted: bool) -> Iterator[bytes]:
    """The document, piece by piece."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "exportedAt": exported_at_ms,
        "host": host,
        "redacted": is_redacted,
    }
    yield orjson.dumps(head)[:-1]
    yield b',\n"pictures":{'
    for number, (sha256, base64) in enumerate(sections.pictures):
        yield b'%s\n"%s":"%s"' % (b"," if number else b"", sha256.encode(), base64)
    yield b"}"
    yield from _array("folders", (orjson.dumps(folder) for folder in sections.folders))
    yield from _array("chats", (_conversation(chat) for chat in sections.chats))
    yield from _array("live", (_live(profile, chat) for profile, chat in sections.live))
    yield from _array("archives", (_archive(fields, items) for fields, items in sections.archives))
    yield from _array("imports", (orjson.dumps(record) for record in sections.imports))
    yield b"}\n"


def _array(name: str, items: Iterable[bytes]) -> Iterator[bytes]:
    yield b',\n"%s":[' % name.encode()
    for number, item in enumerate(items):
        yield b"%s\n%s" % (b"," if number else b"", item)
    yield b"]"


def _conversation(chat: ExportedChat) -> bytes:
    transcripts = {session_id: _messages(items) for session_id, items in chat.transcripts.items()}
    return orjson.dumps({"entry": chat.entry, "transcripts": transcripts})


def _live(profile: str, chat: ExportedChat) -> bytes:
    return orjson.dumps({"profile": profile, "conversation": orjson.Fragment(_conversation(chat))})


def _archive(fields: Mapping[str, Any], items: Iterable[Item]) -> bytes:
    return orjson.dumps({**fields, "messages": _messages(items)})


def _messages(items: Iterable[Item]) -> list[dict[str, Any]]:
    return [
        {"id": item.id, "createdAt": item.created_at_ms, "message": orjson.Fragment(item.message)} for item in items
    ]
