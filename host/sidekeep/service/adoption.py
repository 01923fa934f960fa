"""Taking over what a profile kept in the browser's own storage while there was no host (docs/protocol.md, Adoption).

The client sends the bodies, one by one, then everything else at once. Each step is one transaction and may be repeated: a
body that is there already is answered with the chat it became, and the mark is set with the last step. What the store has
wins for light keys; the browser's conversation becomes a saved chat; a session id that the store uses for another chat is
replaced by a new one.
"""

import hashlib
import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from sidekeep.domain import json_value
from sidekeep.domain.chat import NO_SESSION, Chat, ChatId
from sidekeep.domain.scope import Scope
from sidekeep.errors import NotFound
from sidekeep.service import bodies, key_values, live, messages, session_index
from sidekeep.service.clock import Clock
from sidekeep.service.key_values import SAVED_SESSIONS, SESSION_PREFIX, session_key
from sidekeep.service.messages import Prepared
from sidekeep.service.writing import Write, Writes
from sidekeep.store import adoptions, area, entries, transcripts
from sidekeep.store.adoptions import AdoptedBody
from sidekeep.store.database import Database, Transaction

HISTORY = "history"


class Finished(NamedTuple):
    """`renamed`: session ids that became others. `kept`: keys for which the store already had a value, which stays."""

    renamed: Mapping[str, str]
    kept: list[str]


class Adoption:
    """One store's adoptions."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._writes = Writes(database, clock)

    def is_done(self, scope: Scope) -> bool:
        """Whether the caller's profile was adopted by this store."""
        with self._database.reading() as tx:
            return adoptions.is_marked(tx, scope)

    def take_body(self, scope: Scope, session_id: str, value: Any) -> str:
        """Take over `session_<id>`. Returns the id it has here. The same body again is not written again."""
        return self._take(scope, SESSION_PREFIX + session_id, ChatId(session_id), value)

    def finish(self, scope: Scope, items: Mapping[str, Any]) -> Finished:
        """Take over every other key, list the bodies, and mark the profile as adopted, all in one transaction."""
        if isinstance(items.get(HISTORY), list) and items[HISTORY]:
            self._take(scope, HISTORY, ChatId(str(uuid.uuid4())), items[HISTORY])
        with self._writes.begin(scope) as write:
            write.touch(SAVED_SESSIONS)
            taken = adoptions.bodies(write.tx, scope)
            _list(write, taken, items.get(SAVED_SESSIONS))
            kept = [key for key in sorted(items) if not _put_if_absent(write, key, items[key])]
            adoptions.mark(write.tx, scope, write.now_ms)
        renamed = {source.removeprefix(SESSION_PREFIX): chat for source, chat in taken.items() if source != HISTORY}
        return Finished({old: new for old, new in renamed.items() if old != new}, kept)

    def read(self, scope: Scope, key: str) -> bytes:
        """What became of the browser's `key`, as JSON, for a comparison with the original. Raises NotFound."""
        with self._database.reading() as tx:
            found = adoptions.body(tx, scope, key)
            name = session_key(found.chat_id) if found is not None else key
            stored = key_values.values(tx, scope, (name,))
        if name not in stored:
            raise NotFound("The store has nothing under that key.", what="key", id=key)
        return stored[name]

    def _take(self, scope: Scope, source: str, wanted: ChatId, value: Any) -> str:
        encoded = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        fingerprint = hashlib.sha256(encoded).digest()
        prepared = messages.prepare_all(value, self._clock())
        with self._writes.begin(scope) as write:
            before = adoptions.body(write.tx, scope, source)
            if before is not None and before.fingerprint == fingerprint:
                return before.chat_id
            chat_id = ChatId(before.chat_id) if before is not None else _free_id(write.tx, scope, wanted, encoded)
            if before is not None or not _is_there(write.tx, scope, chat_id):
                write.touch(session_key(chat_id))
                _put_body(write, chat_id, encoded, value, prepared)
            adoptions.put_body(write.tx, scope, source, AdoptedBody(chat_id, fingerprint))
            return chat_id


def _free_id(tx: Transaction, scope: Scope, wanted: ChatId, encoded: bytes) -> ChatId:
    """`wanted`, unless the store has another chat of that id; the same chat is that chat."""
    there = key_values.values(tx, scope, (session_key(wanted),)).get(session_key(wanted))
    if there is None and entries.chat(tx, scope.namespace, wanted) is None:
        return wanted
    return wanted if there is not None and json_value.equal(there, encoded) else ChatId(str(uuid.uuid4()))


def _is_there(tx: Transaction, scope: Scope, chat_id: ChatId) -> bool:
    return session_key(chat_id) in key_values.values(tx, scope, (session_key(chat_id),))


def _put_body(write: Write, chat_id: ChatId, encoded: bytes, value: Any, prepared: list[Prepared] | None) -> None:
    key = session_key(chat_id)
    area.remove(write.tx, write.scope, key)
    if prepared is not None:
        bodies.replace_body(write, chat_id, prepared)
    else:
        area.put(write.tx, write.scope, key, encoded, json_value.size_of(key, encoded, value))


def _list(write: Write, taken: Mapping[str, str], index: Any) -> None:
    """List every chat that was taken over, described as the browser's index described it, else by its first question."""
    described = (
        {item["id"]: item for item in index if isinstance(item, dict) and "id" in item}
        if isinstance(index, list)
        else {}
    )
    for source, chat_id in taken.items():
        chat = entries.chat(write.tx, write.scope.namespace, chat_id)
        if chat is None:
            chat = Chat(ChatId(chat_id), NO_SESSION, "", write.now_ms, write.now_ms, listed=False)
        if chat.listed:
            continue  # it was there before
        chat = session_index.described(chat, described.get(source.removeprefix(SESSION_PREFIX), {}))
        if not chat.name:
            chat = chat._replace(
                name=live.name_for(transcripts.messages(write.tx, chat.session_id), chat.created_at_ms)
            )
        entries.put_chat(write.tx, write.scope.namespace, chat)
    area.remove(write.tx, write.scope, SAVED_SESSIONS)


def _put_if_absent(write: Write, key: str, value: Any) -> bool:
    """Write a key that the store does not have. True where the store then has what the browser had."""
    if key in (HISTORY, SAVED_SESSIONS, "activeSessionId") or key.startswith(SESSION_PREFIX):
        return True
    encoded = orjson.dumps(value)
    there = key_values.values(write.tx, write.scope, (key,)).get(key)
    if there is not None:
        return json_value.equal(there, encoded)
    write.touch(key)
    area.put(write.tx, write.scope, key, encoded, json_value.size_of(key, encoded, value))
    return True
