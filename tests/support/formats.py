"""A whole file of every format that is read, some of them as a ZIP."""

import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import orjson
import zstandard
from tests.support import exports
from tests.support.filled import fill
from tests.support.stores import OWN, open_services

from sidekeep.service.export_view import Order


def zipped(**members: bytes) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(f"{name}.json", data)
    return packed.getvalue()


def own_export(folder: Path) -> bytes:
    with open_services(folder / "source") as source:
        fill(source)
        return source.exports.make(OWN, Order(target=folder / "own.json")).file.read_bytes()


TREE = {"messageId": "q", "text": "q", "isCreatedByUser": True, "children": [{"messageId": "a", "text": "a"}]}
TRANSCRIPT = exports.transcript(1)
FILES: dict[str, bytes | Callable[[Path], bytes]] = {
    **{path.name: path.read_bytes() for path in sorted(exports.SHARED_SAMPLES.glob("*.json"))},
    "chatgpt.zip": zipped(conversations=orjson.dumps([exports.chatgpt(1)]), user=b'{"id":"u"}'),
    "page assist, one chat": orjson.dumps([{"isBot": False, "message": "q"}, {"isBot": True, "message": "a"}]),
    "librechat, recursive": orjson.dumps({"conversationId": "c", "recursive": True, "messagesTree": [TREE]}),
    "browsa": orjson.dumps({"savedSessions": [exports.browsa_entry(1)], "session_c1": exports.browsa_body(1)}),
    "browsa, legacy": orjson.dumps({"savedSessions": [{**exports.browsa_entry(1), "history": exports.browsa_body(1)}]}),
    "transcript": TRANSCRIPT,
    "transcript.zst": zstandard.compress(TRANSCRIPT),
    "own": own_export,
    "own.zip": lambda folder: zipped(all=own_export(folder)),
}


def content_of(name: str, scratch: Path) -> bytes:
    """The file of that name; what is to be made first is made in `scratch`."""
    made = FILES[name]
    return made if isinstance(made, bytes) else made(scratch)
