"""The live conversation: history.* and image.get (docs/protocol.md, Conversation)."""

from dataclasses import dataclass
from typing import Any

import orjson

from sidekeep.domain import pixels
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service import live, messages
from sidekeep.service.clock import Clock
from sidekeep.service.limits import NO_LIMITS, Limits
from sidekeep.service.messages import Pixels
from sidekeep.service.writing import Writes
from sidekeep.store import blobs, entries, transcripts
from sidekeep.store.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class OriginalImage:
    data_url: str
    width: int
    height: int
    bytes: int


class Conversation:
    """One store's live conversations."""

    def __init__(self, database: Database, clock: Clock, limits: Limits = NO_LIMITS) -> None:
        self._database = database
        self._clock = clock
        self._writes = Writes(database, clock, limits)

    def get(self, scope: Scope, mode: Pixels) -> tuple[list[orjson.Fragment], str]:
        """The messages, rendered, and the id of the saved chat they belong to ("" while they belong to none)."""
        with self._database.reading() as tx:
            own = entries.live(tx, scope)
            if own is None:
                return [], ""
            return messages.render(tx, transcripts.messages(tx, own.session_id), mode), own.chat_id

    def append(self, scope: Scope, message: dict[str, Any]) -> tuple[str, int]:
        """Append a message; one whose id is there already is not written again. Returns its id and index."""
        prepared = messages.prepare(message, self._clock())
        message_id = prepared.message.message_id
        with self._writes.begin(scope) as write:
            own = live.ensure(write)
            seq = transcripts.position(write.tx, own.session_id, message_id)
            if seq is None:
                messages.store_pictures(write.tx, prepared)
                live.append(write, prepared.message)
                return message_id, transcripts.count(write.tx, own.session_id) - 1
            return message_id, transcripts.count_before(write.tx, own.session_id, seq)

    def remove(self, scope: Scope, message_id: str) -> None:
        """Take one message out; it goes to the archive. Raises NotFound."""
        with self._writes.begin(scope) as write:
            seq = self._position(write.tx, scope, message_id)
            live.remove(write, seq, seq)
            live.settle(write)

    def truncate(self, scope: Scope, message_id: str, *, inclusive: bool) -> int:
        """Take out what follows a message, itself too if `inclusive`. Returns how many. Raises NotFound."""
        with self._writes.begin(scope) as write:
            seq = self._position(write.tx, scope, message_id)
            removed = live.remove(write, seq if inclusive else seq + 1, None)
            live.settle(write)
            return removed.messages

    def clear(self, scope: Scope) -> None:
        """New chat: an empty live conversation. Nothing is lost: the old one is a saved chat, or goes to the archive."""
        with self._writes.begin(scope) as write:
            live.start_over(write)

    def image(self, scope: Scope, ref: str) -> OriginalImage:
        """An original picture of the caller's own. Raises NotFound."""
        with self._database.reading() as tx:
            info, data = _original(tx, scope, ref)
        return OriginalImage(pixels.data_url(data).decode(), info.width, info.height, info.bytes)

    def data_url(self, scope: Scope, ref: str) -> str:
        """An original picture as a data URL, to be sent again. Raises NotFound."""
        return self.image(scope, ref).data_url

    def _position(self, tx: Transaction, scope: Scope, message_id: str) -> int:
        own = entries.live(tx, scope)
        seq = transcripts.position(tx, own.session_id, message_id) if own is not None else None
        if seq is None:
            raise NotFound("That message is not in the conversation (any more).", what="message", id=message_id)
        return seq


def _original(tx: Transaction, scope: Scope, ref: str) -> tuple[blobs.BlobInfo, bytes]:
    try:
        sha256 = bytes.fromhex(ref)
    except ValueError as exc:
        raise InvalidParams.at("ref", "a ref is 64 hexadecimal digits") from exc
    found = blobs.original(tx, sha256) if blobs.is_visible(tx, scope.namespace, sha256) else None
    if found is None:
        raise NotFound("That picture is not in the store.", what="image", id=ref)
    return found
