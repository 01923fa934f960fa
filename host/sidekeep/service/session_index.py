"""`savedSessions`: the light index of saved chats, made from the entries; and what setting it through the storage area means.

What was set reads back as it was set until a conversation changes. Meanwhile the entries follow it where they can: names,
pins, and which chats are listed. An index entry that is dropped deletes no body.

An older form of the key had the chats' messages in it, as `history` of each entry. Whoever needs the chats calls
`read_session_index` or `take_over` first; both move those messages to bodies of their own, in the caller's transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from sidekeep.domain import json_value
from sidekeep.domain.chat import NO_SESSION, Chat, ChatId, Measure
from sidekeep.domain.message import StoredMessage, text_of
from sidekeep.domain.scope import Scope
from sidekeep.service.key_values import SAVED_SESSIONS, session_key
from sidekeep.store import area, entries, transcripts
from sidekeep.store.database import Transaction

if TYPE_CHECKING:
    from sidekeep.service.writing import Write

DIGEST_CHARS = 100_000


def render(tx: Transaction, namespace: str) -> bytes:
    """The index as JSON: `[{createdAt, id, name, pinned, textDigest}]`, latest activity first, members in order of name."""
    return orjson.dumps([entry(tx, chat) for chat in entries.chats(tx, namespace)])


def is_legacy(tx: Transaction, scope: Scope) -> bool:
    """Whether the index, as it was set, has chats' messages in it."""
    stored = area.get(tx, scope, (SAVED_SESSIONS,)).get(SAVED_SESSIONS)
    return stored is not None and b'"history"' in stored and any(True for _ in with_messages(orjson.loads(stored)))


def read_session_index(write: Write) -> None:
    """Bring an index of the older form up to date. What is light already stays as it was set.

    One transaction with whatever the caller does; a second time there is nothing to do.
    """
    if is_legacy(write.tx, write.scope):
        take_over(write)


def take_over(write: Write) -> None:
    """Let the index be made from the entries from now on, because one of them changes."""
    from sidekeep.service import bodies, messages

    stored = area.get(write.tx, write.scope, (SAVED_SESSIONS,)).get(SAVED_SESSIONS)
    if stored is None:
        return
    for chat_id, history in with_messages(orjson.loads(stored)):
        key = session_key(chat_id)
        write.touch(SAVED_SESSIONS, key)
        prepared = messages.prepare_all(history, write.now_ms)
        if prepared is not None:
            bodies.replace_body(write, chat_id, prepared)
        else:  # of another shape: kept as it is, for whoever can read it
            text = orjson.dumps(history)
            area.put(write.tx, write.scope, key, text, json_value.size_of(key, text, history))
    area.remove(write.tx, write.scope, SAVED_SESSIONS)


def with_messages(index: Any) -> Iterator[tuple[str, list[Any]]]:
    """The entries of an index that have their chat's messages in them: id and messages."""
    for chat_id, item in _described(index):
        if isinstance(item.get("history"), list):
            yield chat_id, item["history"]


def by_id(index: Any) -> dict[str, dict[str, Any]]:
    """The entries of an index by chat id; what is no entry says nothing."""
    return dict(_described(index))


def hold(write: Write) -> None:
    """Let the index stay what it is while storage.set changes a chat's body: that changes no other key."""
    if area.value_key(write.tx, write.scope, SAVED_SESSIONS) is None:
        value = render(write.tx, write.scope.namespace)
        area.put(
            write.tx, write.scope, SAVED_SESSIONS, value, json_value.size_of(SAVED_SESSIONS, value, orjson.loads(value))
        )


def follow(tx: Transaction, namespace: str, index: Any, now_ms: int) -> None:
    """Let the entries follow an index that was set; one of another shape says nothing to them."""
    named = by_id(index)
    if not isinstance(index, list) or (index and not named):
        return
    for chat in list(entries.chats(tx, namespace)):
        if chat.id not in named:
            entries.put_chat(tx, namespace, chat._replace(listed=False))
    for chat_id, item in named.items():
        chat = entries.chat(tx, namespace, chat_id) or Chat(ChatId(chat_id), NO_SESSION, "", now_ms, now_ms)
        entries.put_chat(tx, namespace, described(chat, item))


def size(tx: Transaction, namespace: str) -> int:
    """Bytes of the index as the storage area counts them. No chat's text is read for it."""
    sizes = [_size_without_digest(chat) + chat.measure.digest_bytes for chat in entries.chats(tx, namespace)]
    return sum(sizes) + max(len(sizes) - 1, 0) + len("[]")


def digest_of(messages: Iterable[StoredMessage]) -> str:
    """The text of a chat, at most 100,000 characters."""
    pieces: list[str] = []
    room = DIGEST_CHARS
    for message in messages:
        text = _text(message)
        pieces.append(text[:room])
        room -= len(text) + 1
        if room < 0:
            break
    return "\n".join(pieces)[:DIGEST_CHARS]


def grown(measure: Measure, messages: Sequence[StoredMessage]) -> Measure:
    """The measure after more messages; an append need not read what was there before."""
    if not messages:
        return measure
    before = measure.digest_chars
    room = DIGEST_CHARS - max(before, 0)
    added = digest_of(messages) if room else ""
    # At once: message by message it takes three times as long, and a chat that is trimmed is measured anew each time.
    added = (added if before < 0 else "\n" + added)[:room]
    return Measure(
        messages=measure.messages + len(messages),
        area_bytes=measure.area_bytes + sum(message.area_bytes for message in messages),
        digest_chars=max(before, 0) + len(added),
        digest_bytes=measure.digest_bytes + json_value.size_of("", orjson.dumps(added), added) - len('""'),
        bytes=measure.bytes + sum(message.size for message in messages),
    )


def _described(index: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for item in index if isinstance(index, list) else ():
        chat_id = _id_of(item) if isinstance(item, dict) else None
        if chat_id is not None:
            yield chat_id, item


def _id_of(item: dict[str, Any]) -> str | None:
    """The chat that an entry is of. Messages are kept whatever their entry has for an id: a number is written out, and where
    there is nothing of use they get one, always the same."""
    own = item.get("id")
    if isinstance(own, str) and own:
        return own
    if not isinstance(item.get("history"), list):
        return None
    if isinstance(own, int | float) and not isinstance(own, bool):
        return orjson.dumps(own).decode()
    return str(uuid.uuid5(uuid.NAMESPACE_OID, orjson.dumps(item, option=orjson.OPT_SORT_KEYS).decode()))


def _text(message: StoredMessage) -> str:
    return text_of(orjson.loads(message.body).get("content"))


def described(chat: Chat, item: dict[str, Any]) -> Chat:
    """The chat, listed, with what an index entry says of it; members of the wrong type say nothing."""
    name, created_at_ms, pinned = item.get("name"), item.get("createdAt"), item.get("pinned")
    return chat._replace(
        listed=True,
        name=name if isinstance(name, str) else chat.name,
        created_at_ms=created_at_ms if type(created_at_ms) is int else chat.created_at_ms,
        pinned=pinned if isinstance(pinned, bool) else chat.pinned,
    )


def entry(tx: Transaction, chat: Chat) -> dict[str, Any]:
    """A chat's entry of the index."""
    return _entry(chat, digest_of(transcripts.messages(tx, chat.session_id)))


def _entry(chat: Chat, text_digest: str) -> dict[str, Any]:
    return {
        "createdAt": chat.created_at_ms,
        "id": chat.id,
        "name": chat.name,
        "pinned": chat.pinned,
        "textDigest": text_digest,
    }


def _size_without_digest(chat: Chat) -> int:
    value = _entry(chat, "")
    return json_value.size_of("", orjson.dumps(value), value)
