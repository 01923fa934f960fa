"""Messages on their way in (pictures cut out and examined) and out (pictures put back as asked)."""

import uuid
from binascii import b2a_base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from sidekeep.domain import json_value, pixels
from sidekeep.domain.message import SAW_MEMBER, MessageId, NewMessage, StoredMessage, saw
from sidekeep.domain.pixels import Cut, Picture
from sidekeep.errors import InvalidParams
from sidekeep.service.pictures import Examined
from sidekeep.store import blobs
from sidekeep.store.blobs import BlobInfo
from sidekeep.store.database import Transaction

Pixels = Literal["full", "thumbnail", "none"]

_URL_MEMBER = b'"url":"'
# The largest integer that every side has exactly; SQLite has none beyond 63 bits, and JSON brings those.
_LAST_MS = 2**53


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message ready to be written; made before the transaction, because examining pictures takes time."""

    message: NewMessage
    pictures: tuple[Picture, ...]
    examined: dict[bytes, Examined]


# Whether the store has the picture of that SHA-256, so that it need not be examined.
IsKnown = Callable[[bytes], bool]


def prepare(
    message: dict[str, Any], now_ms: int, *, verbatim: bool = False, is_known: IsKnown = lambda _sha256: False
) -> Prepared:
    """Check a message and cut its pictures out. `verbatim` adds no field to what is kept (storage.set), and takes an
    id that is none for none.

    Raises InvalidParams.
    """
    check(message)
    if not verbatim and "id" in message and not _own_id(message):
        raise InvalidParams.at("message.id", "an id is a string that is not empty")
    message_id = _own_id(message) or str(uuid.uuid4())
    created_at_ms = message.get("createdAt")
    if not isinstance(created_at_ms, int) or isinstance(created_at_ms, bool) or abs(created_at_ms) > _LAST_MS:
        created_at_ms = now_ms
    if not verbatim:
        # In order of the names, as the browser's storage gives objects back and storage.set brings them.
        message = dict(sorted({**message, "id": message_id, "createdAt": created_at_ms}.items()))
    try:
        lifted = pixels.lift(message)
    except orjson.JSONEncodeError as exc:
        raise InvalidParams.at("message", "is nested too deeply") from exc
    attach_id = message.get("attachId")
    area_bytes, size = _sizes(lifted.body, message, lifted.cuts, [len(picture.data) for picture in lifted.pictures])
    new = NewMessage(
        message_id=MessageId(message_id),
        role=message["role"],
        created_at_ms=created_at_ms,
        attach_id=attach_id if isinstance(attach_id, str) else None,
        size=size,
        area_bytes=area_bytes,
        body=lifted.body,
        cuts=lifted.cuts,
    )
    return Prepared(new, lifted.pictures, {p.sha256: _examine(p) for p in lifted.pictures if not is_known(p.sha256)})


def changed(tx: Transaction, stored: StoredMessage, change: Callable[[dict[str, Any]], dict[str, Any]]) -> NewMessage:
    """A stored message as `change` makes it: the row to put in its place (transcripts.replace).

    Pictures are referred to, not read: `change` sees hashes where their base64 belongs, and may leave them out or repeat them.
    """
    message = dict(sorted(change(pixels.named(stored.body, stored.cuts)).items()))
    lifted = pixels.lift_named(message, stored.cuts)
    known = blobs.known(tx, {cut.sha256 for cut in lifted.cuts})
    pictures = [known[cut.sha256].bytes if cut.sha256 in known else 0 for cut in lifted.cuts]
    area_bytes, size = _sizes(lifted.body, message, lifted.cuts, pictures)
    return NewMessage(
        message_id=stored.message_id,
        role=stored.role,
        created_at_ms=stored.created_at_ms,
        attach_id=stored.attach_id,
        size=size,
        area_bytes=area_bytes,
        body=lifted.body,
        cuts=lifted.cuts,
    )


def _sizes(body: bytes, message: dict[str, Any], cuts: Sequence[Cut], pictures: Sequence[int]) -> tuple[int, int]:
    """A message's bytes as the storage area counts them, and as it is stored. `pictures`: the bytes of each cut's."""
    heads = sum(len(cut.head) + base64_length(size) for cut, size in zip(cuts, pictures, strict=True))
    return json_value.size_of("", body, message) + heads, len(body) + sum(pictures)


def prepare_all(value: Any, now_ms: int, *, is_known: IsKnown = lambda _sha256: False) -> list[Prepared] | None:
    """The messages of a value that can be kept as rows, verbatim; None where it is something else, to be kept as it is."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return None
    try:
        return [prepare(item, now_ms, verbatim=True, is_known=is_known) for item in value]
    except InvalidParams:
        return None


def base64_length(size: int) -> int:
    """Characters of base64 for so many bytes."""
    return -(-size // 3) * 4


def check(message: dict[str, Any]) -> None:
    """A message has a role and content that is text or a list of parts. Raises InvalidParams."""
    if not isinstance(message.get("role"), str) or not message["role"]:
        raise InvalidParams.at("message.role", "a message names its role as a string")
    content = message.get("content")
    if not isinstance(content, str) and not (
        isinstance(content, list) and all(isinstance(part, dict) for part in content)
    ):
        raise InvalidParams.at("message.content", "content is a string or a list of parts")


def store_pictures(tx: Transaction, prepared: Prepared) -> None:
    """Write a message's pictures, which must be there before the message refers to them."""
    for picture in prepared.pictures:
        found = prepared.examined.get(picture.sha256)
        if found is None:
            if blobs.known(tx, (picture.sha256,)):
                continue
            found = _examine(picture)  # it was known when the message was made ready, and has gone since
        info = BlobInfo(picture.sha256, found.width, found.height, len(picture.data))
        blobs.put(tx, info, picture.data, found.thumbnail)


def verbatim(tx: Transaction, messages: Iterable[StoredMessage]) -> bytes:
    """The JSON array of the messages as they were set, pixels included."""
    return b"[%s]" % b",".join(
        pixels.join(message.body, message.cuts, [_base64(tx, cut) for cut in message.cuts]) for message in messages
    )


def render(tx: Transaction, messages: Sequence[StoredMessage], mode: Pixels) -> list[orjson.Fragment]:
    """The messages as MESSAGE shapes, each picture as a data URL of the original, of its thumbnail, or without url."""
    infos = blobs.known(tx, {cut.sha256 for message in messages for cut in message.cuts})
    seen = _seen(messages)
    rendered = [_render_one(tx, message, infos, mode) for message in messages]
    return [
        orjson.Fragment(_with(body, (b'"imagesSeen":true',)) if message.message_id in seen else body)
        for message, body in zip(messages, rendered, strict=True)
    ]


def _seen(messages: Sequence[StoredMessage]) -> set[str]:
    """Which of them have pictures that an answer among them was given, and do not say so themselves."""
    member = b'"%s":' % SAW_MEMBER.encode()
    seen = {name for message in messages if member in message.body for name in saw(orjson.loads(message.body))}
    return {m.message_id for m in messages if m.message_id in seen and b'"imagesSeen":' not in m.body}


def _render_one(tx: Transaction, message: StoredMessage, infos: dict[bytes, BlobInfo], mode: Pixels) -> bytes:
    pieces: list[bytes] = []
    start = 0
    for cut in message.cuts:
        info = infos.get(cut.sha256) or BlobInfo(cut.sha256, 0, 0, 0)
        url = _url(tx, cut, info, mode)
        url_member = b"" if url is None else b'"url":"%s",' % url
        pieces.append(message.body[start : cut.position - len(_URL_MEMBER)])
        pieces.append(
            b'%s"ref":"%s","width":%d,"height":%d,"bytes":%d'
            % (url_member, cut.sha256.hex().encode(), info.width, info.height, info.bytes)
        )
        start = cut.position + 1  # past the quote that closed the empty URL
    pieces.append(message.body[start:])
    return _with_identity(b"".join(pieces), message)


def _with_identity(body: bytes, message: StoredMessage) -> bytes:
    """What was set through the storage area may lack id and createdAt: on the wire every message has them."""
    missing: list[bytes] = []
    if b'"id":' + orjson.dumps(message.message_id) not in body:
        missing.append(b'"id":' + orjson.dumps(message.message_id))
    if b'"createdAt":%d' % message.created_at_ms not in body:
        missing.append(b'"createdAt":%d' % message.created_at_ms)
    # At the end, so that they win over an id in the body that another message of the conversation has too.
    return _with(body, missing)


def _with(body: bytes, members: Sequence[bytes]) -> bytes:
    """An object with more members."""
    if not members:
        return body
    return b"%s%s%s}" % (body[:-1], b"," if len(body) > len(b"{}") else b"", b",".join(members))


def _url(tx: Transaction, cut: Cut, info: BlobInfo, mode: Pixels) -> bytes | None:
    if mode == "none":
        return None
    if mode == "thumbnail":
        jpeg = blobs.thumbnail(tx, cut.sha256)
        if jpeg is not None:
            return b"data:image/jpeg;base64," + b2a_base64(jpeg, newline=False)
        if not info.width or info.bytes > _SERVED_WHOLE_BYTES:
            return None
    return orjson.dumps(cut.head)[1:-1] + _base64(tx, cut)


# A picture without a thumbnail is small and its own; one that could not be decoded, or is huge, is fetched by image.get.
_SERVED_WHOLE_BYTES = 65_536


def _base64(tx: Transaction, cut: Cut) -> bytes:
    found = blobs.original(tx, cut.sha256)
    return b2a_base64(found[1], newline=False) if found is not None else b""


def _examine(picture: Picture) -> Examined:
    from sidekeep.service.pictures import examine

    return examine(picture.data)


def _own_id(message: dict[str, Any]) -> str:
    own = message.get("id")
    return own if isinstance(own, str) else ""
