"""An archive's record: a transcript's rows and identities whole, compressed; and the rows it becomes again."""

from collections.abc import Sequence
from typing import Any

import orjson

from sidekeep.domain.chat import SessionId
from sidekeep.domain.message import MessageId, StoredMessage
from sidekeep.domain.pixels import Cut
from sidekeep.store import message_rows, transcripts
from sidekeep.store.database import Transaction

RECORD_VERSION = 1


def pack(messages: Sequence[StoredMessage]) -> bytes:
    """The record of a transcript. Pixels are referred to; they stay in `blobs`."""
    import zstandard

    rows: list[dict[str, Any]] = [
        {
            "row": message.message_pk,
            "id": message.message_id,
            "role": message.role,
            "createdAt": message.created_at_ms,
            "attachId": message.attach_id,
            "bytes": message.size,
            "areaBytes": message.area_bytes,
            "body": message.body.decode(),
            "cuts": [[cut.position, cut.sha256.hex(), cut.head] for cut in message.cuts],
        }
        for message in messages
    ]
    return zstandard.compress(orjson.dumps({"version": RECORD_VERSION, "messages": rows}))


def unpack(record: bytes) -> list[StoredMessage]:
    """The messages of a record, in order. Their rows may be gone: `message_pk` is 0 where the record does not know it."""
    import zstandard

    return [_message(row) for row in orjson.loads(zstandard.decompress(record))["messages"]]


def put_back(tx: Transaction, messages: Sequence[StoredMessage], now_ms: int) -> SessionId:
    """A new transcript of archived messages. Rows that another transcript kept are referred to, the others are written again."""
    session_id = transcripts.create(tx, now_ms)
    for message in messages:
        if message_rows.is_there(tx, message):
            transcripts.refer(tx, session_id, ((message.message_pk, message.message_id),))
        else:
            transcripts.append(tx, session_id, message)
    return session_id


def _message(row: dict[str, Any]) -> StoredMessage:
    body = row["body"].encode()
    return StoredMessage(
        message_pk=row.get("row", 0),
        message_id=MessageId(row["id"]),
        role=row["role"],
        created_at_ms=row["createdAt"],
        attach_id=row["attachId"],
        size=row["bytes"],
        # What the first records lack; the true size is a matter of quotas, which such a chat takes from its next change on.
        area_bytes=row.get("areaBytes", row["bytes"]),
        body=body,
        cuts=tuple(Cut(position, bytes.fromhex(sha256), head) for position, sha256, head in row["cuts"]),
    )
