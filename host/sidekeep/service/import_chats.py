"""One conversation of another program becomes chats. Steps inside a caller's write.

Its current path is one chat, each other branch one more that says where it left. A conversation that is known and has grown is
continued in its chat; where the person has continued that chat meanwhile, the new version is a chat of its own, so neither
loses anything. A chat that was deleted does not come back by itself.
"""

import uuid
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from sidekeep.domain.chat import Chat, ChatId, Measure, SessionId
from sidekeep.domain.message import MessageId, NewMessage
from sidekeep.domain.usage import Usage, spent
from sidekeep.service import bodies, checkpoints, import_compactions, live, messages, retention, session_index
from sidekeep.service.import_room import Room
from sidekeep.service.incoming import Incoming
from sidekeep.service.key_values import SAVED_SESSIONS, session_key
from sidekeep.service.writing import Write
from sidekeep.store import archived, archives, entries, evictions, imports, transcripts
from sidekeep.store.archives import Departure
from sidekeep.store.imports import Candidate, Imported

# The last: a compaction of the conversation became a checkpoint.
Outcome = Literal["added", "updated", "unchanged", "archived", "compacted"]

_CHAT_IDS = uuid.UUID("6d1c1b0e-7d5f-4d39-9d5c-0c5b8a2f3e41")


def take(write: Write, ways: Sequence[Incoming], room: Room) -> Iterator[tuple[str, Outcome]]:
    """Write a conversation. Gives each way's fingerprint and what became of it, and again one that limits then archived."""
    main: Chat | None = None
    for each in ways:
        is_met = room.meets(each.fingerprint)
        way = _distinct(write, each) if is_met else each
        known = imports.find(write.tx, write.scope.namespace, way.fingerprint)
        if known is None and is_met and way is each:
            yield way.fingerprint, "unchanged"  # a dry run: it would be there
            continue
        if known is None:
            taken = yield from _arrive(write, way, room, "added", main)
        else:
            taken = yield from _meet(write, way, known, room, main)
        main = main or taken


def _distinct(write: Write, way: Incoming) -> Incoming:
    """A way whose id this run has met before: under a fingerprint of its own where it is another conversation."""
    known = imports.find(write.tx, write.scope.namespace, way.fingerprint)
    chat = entries.chat(write.tx, write.scope.namespace, known.chat_id) if known is not None else None
    is_older = chat is not None and _is_older(write, chat, way)
    if known is None or _grown(way, known) is not None or is_older:
        return way
    return replace(way, fingerprint=f"{way.fingerprint}~{way.hashes[-1].hex()[:16]}")


def _meet(
    write: Write, way: Incoming, known: Imported, room: Room, main: Chat | None
) -> Generator[tuple[str, Outcome], None, Chat | None]:
    """A way that was imported before. Returns its chat, where there is one."""
    chat = entries.chat(write.tx, write.scope.namespace, known.chat_id)
    grown = _grown(way, known)
    if grown == len(way.prepared) or (chat is not None and grown is None and _is_older(write, chat, way)):
        yield way.fingerprint, "unchanged"
    elif chat is None:
        old = _evicted(write, known.chat_id)
        if not old:
            yield way.fingerprint, "unchanged"  # it was deleted
        else:
            chat = yield from _arrive(write, way, room, "updated", main, old=old[0])
            for session_id in old:
                transcripts.delete(write.tx, session_id, write.now_ms)
    elif chat.revision != known.revision:
        chat = yield from _arrive(write, way, room, "added", main)
    else:
        changed = continue_chat(write, way, chat, grown) if grown is not None else _rewritten(write, way, chat)
        yield way.fingerprint, "updated"
        yield from _compactions(way, grown or 0)
        return changed
    return chat


def _arrive(
    write: Write, way: Incoming, room: Room, outcome: Outcome, main: Chat | None, *, old: SessionId | None = None
) -> Generator[tuple[str, Outcome], None, Chat | None]:
    """A way becomes a chat, or goes to the archive where there are too many younger ones."""
    candidate = Candidate(way.pinned, way.updated_at_ms, way.fingerprint, _chat_id(write, way))
    yield way.fingerprint, outcome
    yield from _compactions(way, 0)
    if room.is_too_old(write, candidate):
        _archived(write, way, candidate.chat_id, old)
        yield way.fingerprint, "archived"
        return None
    chat = _added(write, way, candidate.chat_id, main, old)
    for fingerprint in room.add(write, candidate):
        yield fingerprint, "archived"
    return chat


def _compactions(way: Incoming, start: int) -> Iterator[tuple[str, Outcome]]:
    yield from ((way.fingerprint, "compacted") for place in way.compactions if place >= start)


def _grown(way: Incoming, known: Imported) -> int | None:
    """Where what came after the messages that were imported begins; None where those are others now."""
    is_longer = known.messages <= len(way.hashes) and way.hashes[known.messages - 1] == known.content
    return known.messages if is_longer else None


def _is_older(write: Write, chat: Chat, way: Incoming) -> bool:
    """Whether the chat goes on behind the way's last message: the file is older than what was imported last."""
    there = [row.message_id for row in checkpoints.whole(write.tx, chat)]
    return way.prepared[-1].message.message_id in there[:-1]


def _evicted(write: Write, chat_id: ChatId) -> list[SessionId]:
    """The transcripts of a chat that a limit had archived, its own first, taken out of the archive: it has grown, and is judged
    anew."""
    namespace = write.scope.namespace
    found = [archived.find(write.tx, namespace, name) for name in archived.of_chat(write.tx, namespace, chat_id)]
    evicted = [each for each in found if each is not None and each.evicted]
    own = next((each for each in evicted if each.part == "chat"), None)
    if own is None:
        return []
    evictions.take_back(write.tx, namespace, chats=1)
    family = (own, *(each for each in evicted if each.part == "earlier"))
    return [archived.give_back(write.tx, each.id, write.now_ms) for each in family]


def _chat_id(write: Write, way: Incoming) -> ChatId:
    """The same for the same conversation, unless a chat has it already that is another by now."""
    namespace = write.scope.namespace
    chat_id = ChatId(str(uuid.uuid5(_CHAT_IDS, f"{namespace} {way.fingerprint}")))
    return chat_id if entries.chat(write.tx, namespace, chat_id) is None else ChatId(str(uuid.uuid4()))


def _archived(write: Write, way: Incoming, chat_id: ChatId, old: SessionId | None) -> None:
    """To the archive, as if it had been a chat and a limit had removed it."""
    namespace = write.scope.namespace
    if way.compactions:
        chat = _made(write, way, chat_id, None, old)
        family = entries.family(write.tx, namespace, chat_id)
        entries.delete_chat(write.tx, namespace, chat_id)
        archives.release_family(write.tx, family, _departure(write, chat_id, chat.name))
    else:  # one transcript, as nearly all are: its rows need not be written first
        for each in way.prepared:
            messages.store_pictures(write.tx, each)
        said = [each.message for each in way.prepared]
        archives.put(write.tx, said, _departure(write, chat_id, _name(way, said)))
    evictions.add(write.tx, namespace, write.now_ms, chats=1)
    noted = Imported(way.hashes[-1], len(way.hashes), chat_id, 0)
    imports.put(write.tx, namespace, way.fingerprint, noted, now_ms=write.now_ms, kept=way.kept)


def _departure(write: Write, chat_id: ChatId, name: str) -> Departure:
    return Departure(write.scope.namespace, "deleted", write.now_ms, name, evicted=True, chat_id=chat_id)


def _added(write: Write, way: Incoming, chat_id: ChatId, main: Chat | None, old: SessionId | None) -> Chat:
    """A chat of its own."""
    write.touch(SAVED_SESSIONS, session_key(chat_id))
    session_index.take_over(write)
    return _noted(write, way, _made(write, way, chat_id, main, old))


def _made(write: Write, way: Incoming, chat_id: ChatId, main: Chat | None, old: SessionId | None) -> Chat:
    """The way's entry and transcripts. Rows that `old`, or the conversation's first way, has already are referred to."""
    there = transcripts.messages(write.tx, old) if old is not None else []
    if main is not None:
        there = checkpoints.whole(write.tx, main)
    session_id, _ = bodies.rewritten(write, there, way.prepared)
    stored = transcripts.messages(write.tx, session_id)
    chat = Chat(
        chat_id,
        session_id,
        _name(way, stored),
        way.created_at_ms,
        way.updated_at_ms,
        pinned=way.pinned,
        measure=session_index.grown(Measure(), stored),
        usage=spent(Usage(), stored),
        extra={"branchOf": {"chat": main.id, "message": way.forked_at}} if main is not None else {},
    )
    entries.put_chat(write.tx, write.scope.namespace, chat)
    return import_compactions.carry_out(write, way, chat)


def _name(way: Incoming, said: Sequence[NewMessage]) -> str:
    name = way.name or live.name_for(said, way.created_at_ms)
    return f"{name} (branch)" if way.forked_at is not None else name


def continue_chat(write: Write, way: Incoming, chat: Chat, start: int) -> Chat:
    """Append what is new from `start` on, also to the live conversations that show the chat."""
    write.touch(SAVED_SESSIONS, session_key(chat.id))
    rows: list[tuple[int, MessageId]] = []
    for each in way.prepared[start:]:
        messages.store_pictures(write.tx, each)
        rows.append((transcripts.append(write.tx, chat.session_id, each.message), each.message.message_id))
    shown = [
        (scope, own)
        for scope, own in entries.live_with_chat(write.tx, write.scope.namespace, chat.id)
        if own.chat_revision == chat.revision
    ]
    chat = bodies.changed(write, chat, appended=[row for row, _ in rows])
    for scope, own in shown:
        with write.of_profile(scope) as its:
            its.touch("history")
            transcripts.refer(write.tx, own.session_id, rows)
            entries.put_live(write.tx, scope, own._replace(chat_revision=chat.revision))
    return _dated(write, way, import_compactions.carry_out(write, way, chat, start))


def _rewritten(write: Write, way: Incoming, chat: Chat) -> Chat:
    """Earlier messages are others now: what was there goes to the archive, and so do its checkpoints."""
    write.touch(session_key(chat.id))
    bodies.replace_body(write, chat.id, way.prepared)
    changed = entries.chat(write.tx, write.scope.namespace, chat.id)
    assert changed is not None, "its body was just replaced"
    for each in changed.checkpoints:
        changed = checkpoints.drop(write, changed, each)
    return _dated(write, way, import_compactions.carry_out(write, way, changed))


def _dated(write: Write, way: Incoming, chat: Chat) -> Chat:
    chat = chat._replace(updated_at_ms=way.updated_at_ms)
    entries.put_chat(write.tx, write.scope.namespace, chat)
    return _noted(write, way, chat)


def _noted(write: Write, way: Incoming, chat: Chat) -> Chat:
    """Bring the chat within the limit of messages, and note the import."""
    retention.trim_chat(write, chat)
    trimmed = entries.chat(write.tx, write.scope.namespace, chat.id) or chat
    if trimmed.revision != chat.revision:
        trimmed = trimmed._replace(updated_at_ms=chat.updated_at_ms)
        entries.put_chat(write.tx, write.scope.namespace, trimmed)
    noted = Imported(way.hashes[-1], len(way.hashes), trimmed.id, trimmed.revision)
    imports.put(write.tx, write.scope.namespace, way.fingerprint, noted, now_ms=write.now_ms, kept=way.kept)
    return trimmed
