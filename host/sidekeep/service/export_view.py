"""The store at one moment, as what is exported of it."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sidekeep.domain.chat import SessionId
from sidekeep.domain.family import collect_artifact_family
from sidekeep.domain.message import StoredMessage
from sidekeep.domain.scope import Scope
from sidekeep.errors import NotFound
from sidekeep.store import archived, blobs, entries, folders, imports, transcripts
from sidekeep.store.archived import Wanted
from sidekeep.store.database import Transaction
from sidekeep.transfer.exported import ExportedChat, Item, redacted, safe
from sidekeep.transfer.picture_links import linked
from sidekeep.transfer.secrets import without_secrets, without_secrets_beside

Format = Literal["json", "markdown", "html"]


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted. `ids` None is everything. `target` is the file (Markdown: the folder), None for one in `exports/`."""

    format: Format = "json"
    ids: Sequence[str] | None = None
    redact: bool = False
    target: Path | None = None


class View:
    """What an order wants of it. Nothing is held but the chat that is being written."""

    def __init__(self, tx: Transaction, scope: Scope, order: Order) -> None:
        self._tx = tx
        self._namespace = scope.namespace
        self._order = order
        self._records = dict(entries.records(tx, scope.namespace, "chat"))
        if order.ids is not None:
            missing = next((chat_id for chat_id in order.ids if chat_id not in self._records), None)
            if missing is not None:
                raise NotFound("That chat is not in the store (any more).", what="session", id=missing)
            self._records = {chat_id: self._records[chat_id] for chat_id in order.ids}

    @property
    def _is_whole(self) -> bool:
        return self._order.ids is None

    @property
    def chat_count(self) -> int:
        return len(self._records)

    @property
    def archive_count(self) -> int:
        return archived.page(self._tx, self._namespace, Wanted(), limit=0, offset=0)[1] if self._is_whole else 0

    def chats(self) -> Iterator[ExportedChat]:
        for chat_id, record in self._records.items():
            yield self._chat(chat_id, record)

    def live(self) -> Iterator[tuple[str, ExportedChat]]:
        """What is open in each profile."""
        if self._is_whole:
            for profile, record in entries.records(self._tx, self._namespace, "live"):
                yield profile, self._chat(str(record.get("chatId")), record)

    def archives(self) -> Iterator[tuple[Mapping[str, Any], Iterable[Item]]]:
        """The archive, oldest first, so that it comes back in its order."""
        if self._is_whole:
            found, _ = archived.page(self._tx, self._namespace, Wanted(), limit=-1, offset=0)
            for archive in reversed(found):
                fields = {
                    "id": archive.id,
                    "sessionId": archive.session_id,
                    "chatId": archive.chat_id,
                    "name": self._text(archive.name),
                    "folder": archive.folder,
                    "reason": archive.reason,
                    "evicted": archive.evicted,
                    "part": archive.part,
                    "archivedAt": archive.archived_at_ms,
                }
                yield fields, self._items(archived.messages(self._tx, archive.id))

    def imports(self) -> Iterator[dict[str, Any]]:
        """What came from other programs."""
        for fingerprint, chat_id in imports.fingerprints(self._tx, self._namespace):
            known = imports.find(self._tx, self._namespace, fingerprint)
            if known is not None and (self._is_whole or chat_id in self._records):
                kept = [without_secrets_beside(each) for each in imports.kept(self._tx, self._namespace, fingerprint)]
                yield {
                    "fingerprint": fingerprint,
                    "content": known.content.hex(),
                    "messages": known.messages,
                    "chatId": known.chat_id,
                    "revision": known.revision,
                    "kept": redacted(kept) if self._order.redact else kept,
                }

    def folders(self) -> Iterator[dict[str, Any]]:
        """All folders, or those of the chats that are wanted."""
        wanted = {record.get("folder") for record in self._records.values()}
        for folder in folders.all_of(self._tx, self._namespace):
            if self._is_whole or folder.id in wanted:
                yield {
                    "id": folder.id,
                    "name": self._text(folder.name),
                    "excluded": folder.excluded,
                    "createdAt": folders.created_at_ms(self._tx, folder.id),
                }

    def picture_hashes(self) -> list[bytes]:
        """SHA-256 of every picture that is linked, once, in an order that does not change."""
        records = list(self._records.values())
        wanted: set[bytes] = set()
        if self._is_whole:
            records += [record for _, record in entries.records(self._tx, self._namespace, "live")]
            wanted = blobs.of_archives(self._tx, self._namespace)
        for record in records:
            for session_id in collect_artifact_family(record):
                wanted |= blobs.of_transcript(self._tx, session_id)
        return sorted(wanted)

    def pictures(self, hashes: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
        for sha256 in hashes:
            found = blobs.original(self._tx, sha256)
            if found is not None:
                yield sha256.hex(), base64.b64encode(found[1])

    def base64_of(self, sha256: str) -> bytes | None:
        data = self.file_of(sha256)
        return None if data is None else base64.b64encode(data)

    def file_of(self, sha256: str) -> bytes | None:
        """A picture's file."""
        found = blobs.original(self._tx, bytes.fromhex(sha256))
        return None if found is None else found[1]

    def _chat(self, chat_id: str, record: Mapping[str, Any]) -> ExportedChat:
        family = collect_artifact_family(dict(record))
        record = without_secrets(record)
        return ExportedChat(
            chat_id,
            self._text(str(record.get("name", ""))),
            record.get("createdAt", 0),
            record.get("updatedAt", 0),
            redacted(record) if self._order.redact else record,
            {
                session_id: list(self._items(transcripts.messages(self._tx, SessionId(session_id))))
                for session_id in family
            },
        )

    def _items(self, stored: Iterable[StoredMessage]) -> Iterator[Item]:
        for message in stored:
            item = Item(message.message_id, message.created_at_ms, linked(message.body, message.cuts))
            yield safe(item, redact=self._order.redact)

    def _text(self, text: str) -> str:
        return str(redacted(text)) if self._order.redact else text
