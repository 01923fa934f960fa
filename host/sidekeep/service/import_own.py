"""Sidekeep's own export comes back as it was. Steps inside a caller's write.

What the store does not have is put there under its own ids, row by row. A chat that it has and the export continues is
continued; one that both have continued is there twice from then on, so neither loses anything.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sidekeep.domain.chat import NO_CHAT, Chat, ChatId, Live, Measure, SessionId
from sidekeep.domain.checkpoint import Checkpoint
from sidekeep.domain.family import collect_artifact_family
from sidekeep.domain.message import MessageId, NewMessage, StoredMessage
from sidekeep.domain.usage import Usage, spent
from sidekeep.errors import InvalidParams, Unreadable
from sidekeep.service import import_chats, messages, session_index
from sidekeep.service.import_chats import Outcome
from sidekeep.service.import_room import Room
from sidekeep.service.incoming import Incoming
from sidekeep.service.key_values import SAVED_SESSIONS, session_key
from sidekeep.service.messages import Prepared
from sidekeep.service.writing import Write
from sidekeep.store import archived, archives, entries, evictions, folders, imports, message_rows, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.folders import Folder
from sidekeep.store.imports import Candidate, Imported
from sidekeep.transfer.formats.sidekeep import SOURCE, OwnArchive, OwnChat, OwnFolder, OwnImport, OwnItem, OwnLive
from sidekeep.transfer.picture_links import with_pictures

# A picture's base64 by its hash; None where the file does not have it.
Base64Of = Callable[[str], str | None]
# Chats that share rows lie near each other in time; past so many the memory of them begins anew.
_REMEMBERED_ROWS = 50_000


class Rows:
    """Rows that this run has met, by what they are: transcripts refer to the same ones as they did where they come from."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}

    def put(self, write: Write, session_id: SessionId, said: Iterable[Prepared]) -> None:
        """Append the messages to a transcript, by reference where a row is there already."""
        for each in said:
            key = _key(each.message)
            found = message_rows.by_keys(write.tx, (self._known[key],)) if key in self._known else []
            if found and _key(found[0]) == key:
                transcripts.refer(write.tx, session_id, ((found[0].message_pk, found[0].message_id),))
            else:
                messages.store_pictures(write.tx, each)
                self._remember(key, transcripts.append(write.tx, session_id, each.message))

    def meet(self, stored: Iterable[StoredMessage]) -> None:
        """Remember rows that are there."""
        for message in stored:
            self._remember(_key(message), message.message_pk)

    def _remember(self, key: bytes, row: int) -> None:
        if len(self._known) >= _REMEMBERED_ROWS:
            self._known.clear()
        self._known[key] = row


class Chatful:
    """A chat of an export, ready to be written. Made outside of a transaction. Raises Unreadable."""

    def __init__(self, own: OwnChat, base64_of: Base64Of, now_ms: int) -> None:
        if not set(collect_artifact_family(own.entry.model_dump())) <= own.transcripts.keys():
            raise Unreadable("It names a transcript that is not in the file.")
        self.entry = own.entry
        self.transcripts = {
            SessionId(session_id): prepared(items, base64_of, now_ms) for session_id, items in own.transcripts.items()
        }
        said = self.transcripts.get(SessionId(own.entry.sessionId), ())
        self.way = Incoming(
            f"{SOURCE}:{own.entry.id}",
            own.entry.name,
            own.entry.createdAt,
            own.entry.updatedAt,
            own.entry.pinned,
            said,
            tuple(_hashes(each.message for each in said)),
        )
        self.size = sum(map(size_of, self.transcripts.values()))


def prepared(items: Iterable[OwnItem], base64_of: Base64Of, now_ms: int) -> tuple[Prepared, ...]:
    """The messages with their pictures, each under the id and the time that it had. Raises Unreadable."""
    found: list[Prepared] = []
    for item in items:
        try:
            made = messages.prepare(with_pictures(item.message, base64_of), now_ms, verbatim=True)
        except InvalidParams as exc:
            raise Unreadable(exc.message) from exc
        message = replace(made.message, message_id=MessageId(item.id), created_at_ms=item.createdAt)
        found.append(replace(made, message=message))
    if len({each.message.message_id for each in found}) < len(found):
        raise Unreadable("Two of its messages have the same id.")
    return tuple(found)


def size_of(said: Iterable[Prepared]) -> int:
    """Bytes of the messages, with their pictures."""
    return sum(each.message.size for each in said)


def items_of(own: OwnLive) -> Sequence[OwnItem]:
    """The messages of what was open."""
    return own.conversation.transcripts.get(own.conversation.entry.sessionId, ())


def take_folder(write: Write, own: OwnFolder) -> str:
    """The id under which the folder is here: its own, or that of one with its name.

    Raises Unreadable past the limit, and has written nothing then.
    """
    namespace = write.scope.namespace
    there = folders.all_of(write.tx, namespace)
    if found := next((each for each in there if each.id == own.id or each.name == own.name), None):
        return found.id
    limit = write.limits.folders
    if limit and len(there) >= limit:
        raise Unreadable(f"There are {limit} folders already, which is the limit. Its chats are in none.")
    folder_id = own.id if folders.is_free(write.tx, own.id) else str(uuid.uuid4())
    folders.put(write.tx, namespace, Folder(folder_id, own.name, own.excluded, 0), own.createdAt)
    return folder_id


def take_chat(write: Write, own: Chatful, folder: str | None, room: Room, rows: Rows) -> Iterator[tuple[str, Outcome]]:
    """Write a chat. Gives what import_chats.take gives."""
    namespace, way = write.scope.namespace, own.way
    write.touch(SAVED_SESSIONS, session_key(own.entry.id))
    session_index.take_over(write)
    known = imports.find(write.tx, namespace, way.fingerprint)
    chat = entries.chat(write.tx, namespace, known.chat_id if known is not None else own.entry.id)
    if chat is not None:
        yield from _met(write, own, chat, room)
    elif known is not None:
        yield way.fingerprint, "unchanged"  # it was deleted since
    elif not _is_free(write, own):
        yield from import_chats.take(write, (way,), room)
    else:
        room.look(write)
        restored = _restored(write, own, folder, rows)
        yield way.fingerprint, "added"
        candidate = Candidate(restored.pinned, restored.updated_at_ms, way.fingerprint, restored.id)
        # A body without an entry in the list is no chat to the limit, which counts what is listed.
        for fingerprint in room.add(write, candidate) if restored.listed else ():
            yield fingerprint, "archived"


def take_live(write: Write, own: OwnLive, said: Sequence[Prepared], rows: Rows) -> None:
    """Give a profile the conversation it had open, where it has none open. `write` is of that profile."""
    entry = own.conversation.entry
    there = entries.live(write.tx, write.scope)
    session_id = SessionId(entry.sessionId)
    if (there is not None and transcripts.count(write.tx, there.session_id)) or transcripts.exists(
        write.tx, session_id
    ):
        return
    write.touch("history", "activeSessionId")
    chat = entries.chat(write.tx, write.scope.namespace, entry.chatId) if entry.chatId else None
    for session in entries.family(write.tx, write.scope.namespace, chat.id) if chat is not None else ():
        rows.meet(transcripts.messages(write.tx, session))
    rows.put(write, transcripts.create(write.tx, write.now_ms, session_id), said)
    chat_id = chat.id if chat is not None else NO_CHAT
    live = Live(session_id, chat_id, entry.chatRevision, entry.showsChat, _usage(entry.usage) or Usage())
    entries.put_live(write.tx, write.scope, live)


def take_archive(write: Write, own: OwnArchive, folder: str | None, said: Sequence[Prepared], rows: Rows) -> Outcome:
    """Put an archive back, where it is not there."""
    namespace = write.scope.namespace
    if archived.find(write.tx, namespace, own.id) is not None:
        return "unchanged"
    passing = transcripts.create(write.tx, write.now_ms)
    rows.put(write, passing, said)
    departure = Departure(
        namespace, own.reason, own.archivedAt, own.name, folder, own.evicted, ChatId(own.chatId), own.part
    )
    stored = transcripts.messages(write.tx, passing)
    archive_id = own.id if archives.is_free(write.tx, own.id) else str(uuid.uuid4())
    archives.insert(write.tx, archive_id, SessionId(own.sessionId), departure, stored)
    transcripts.delete(write.tx, passing, write.now_ms)  # the archive has its texts and pictures now
    _count_evicted(write, own)
    return "archived"


def _count_evicted(write: Write, own: OwnArchive) -> None:
    """What a limit had removed is counted here too, as giving it back counts it back."""
    chats = int(own.evicted and own.part == "chat")
    gone = len(own.messages) if own.evicted and own.part == "messages" else 0
    if chats or gone:
        evictions.add(write.tx, write.scope.namespace, own.archivedAt, chats=chats, messages=gone)


def take_import(write: Write, own: OwnImport) -> None:
    """Know again what came from another program. What this store knows itself stays."""
    namespace = write.scope.namespace
    if imports.find(write.tx, namespace, own.fingerprint) is None:
        noted = Imported(bytes.fromhex(own.content), own.messages, ChatId(own.chatId), own.revision)
        imports.put(write.tx, namespace, own.fingerprint, noted, now_ms=write.now_ms, kept=own.kept)


def _met(write: Write, own: Chatful, chat: Chat, room: Room) -> Iterator[tuple[str, Outcome]]:
    """The store has that chat."""
    way = own.way
    there = tuple(_hashes(transcripts.messages(write.tx, chat.session_id)))
    if there[: len(way.hashes)] == way.hashes:
        yield way.fingerprint, "unchanged"
    elif way.hashes[: len(there)] == there:
        import_chats.continue_chat(write, way, chat, len(there))
        yield way.fingerprint, "updated"
    else:
        version = replace(way, fingerprint=f"{way.fingerprint}~{way.hashes[-1].hex()[:16]}")
        yield from import_chats.take(write, (version,), room)


def _is_free(write: Write, own: Chatful) -> bool:
    """Whether its transcripts' ids are nobody else's: another namespace's stay out of reach, whatever a file says."""
    namespace = write.scope.namespace
    return all(
        not transcripts.exists(write.tx, session_id) or entries.is_named(write.tx, session_id, namespace)
        for session_id in own.transcripts
    )


def _restored(write: Write, own: Chatful, folder: str | None, rows: Rows) -> Chat:
    """The chat under its own ids."""
    for session_id, said in own.transcripts.items():
        if not transcripts.exists(write.tx, session_id):
            rows.put(write, transcripts.create(write.tx, write.now_ms, session_id), said)
    entry = own.entry
    stored = transcripts.messages(write.tx, SessionId(entry.sessionId))
    fields = entry.model_dump()
    chat = Chat(
        ChatId(entry.id),
        SessionId(entry.sessionId),
        entry.name,
        entry.createdAt,
        entry.updatedAt,
        pinned=entry.pinned,
        folder=folder,
        revision=entry.revision,
        listed=entry.listed,
        measure=session_index.grown(Measure(), stored),
        usage=_usage(fields.get("usage")) or spent(Usage(), stored),
        checkpoints=tuple(Checkpoint(item) for item in entry.compactionCheckpoints),
        usage_family=tuple(SessionId(name) for name in entry.usageFamilySessionIds),
        extra=entries.further_members(fields),
    )
    entries.put_chat(write.tx, write.scope.namespace, chat)
    if own.way.hashes:
        noted = Imported(own.way.hashes[-1], len(own.way.hashes), chat.id, chat.revision)
        imports.put(write.tx, write.scope.namespace, own.way.fingerprint, noted, now_ms=write.now_ms, kept=())
    return chat


def _usage(value: Any) -> Usage | None:
    is_sound = isinstance(value, list) and len(value) == 4 and isinstance(value[3], dict)
    return Usage(*value) if is_sound and all(type(each) is int for each in value[:3]) else None


def _key(message: NewMessage) -> bytes:
    """What a row is, pictures included."""
    total = hashlib.blake2b(digest_size=20)
    pictures = b"".join(cut.sha256 + cut.head.encode() for cut in message.cuts)
    for piece in (message.message_id.encode(), b"%d" % message.created_at_ms, message.body, pictures):
        total.update(b"%d:%s" % (len(piece), piece))
    return total.digest()


def _hashes(said: Iterable[NewMessage]) -> Iterator[bytes]:
    total = hashlib.sha256()
    for message in said:
        pictures = b"".join(cut.sha256 for cut in message.cuts)
        for piece in (message.message_id.encode(), message.body, pictures):
            total.update(b"%d:%s" % (len(piece), piece))
        yield total.digest()
