"""Taking over what a profile kept in the browser's own storage while there was no host (docs/protocol.md, Adoption).

The client sends the bodies, one by one, then everything else at once. Each step is one transaction and may be repeated: a
body that is there already is answered with the chat it became, and the mark is set with the last step. What the store has
wins for light keys; the browser's conversation becomes a saved chat; a session id that the store uses for another chat is
replaced by a new one. After the mark nothing that was taken over is written again: people have gone on with it.
"""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from sidekeep.domain import json_value, providers
from sidekeep.domain.chat import NO_SESSION, Chat, ChatId
from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.errors import InvalidParams, NotFound
from sidekeep.service import bodies, key_values, live, messages, session_index
from sidekeep.service.clock import Clock
from sidekeep.service.key_values import SAVED_SESSIONS, SESSION_PREFIX, session_key
from sidekeep.service.messages import Prepared
from sidekeep.service.writing import Write, Writes
from sidekeep.store import adoptions, area, entries, provider_keys, transcripts
from sidekeep.store.adoptions import AdoptedBody
from sidekeep.store.database import Database, Transaction

if TYPE_CHECKING:
    from sidekeep.service.keys import Keys

HISTORY = "history"
PROVIDERS = "providers"
NO_BODY = b""


class Finished(NamedTuple):
    """`renamed`: session ids that became others. `kept`: keys for which the store already had a value, which stays."""

    renamed: Mapping[str, str]
    kept: list[str]


class Adoption:
    """One store's adoptions."""

    def __init__(self, database: Database, clock: Clock, keys: "Callable[[], Keys]") -> None:
        self._database = database
        self._clock = clock
        self._keys_of_providers = keys
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
        for session_id, history in session_index.with_messages(items.get(SAVED_SESSIONS)):
            self._take(scope, session_key(session_id), ChatId(session_id), history)
        if scope.namespace == SIDEKEEP and PROVIDERS in items:
            items = {**items, PROVIDERS: self._without_keys(scope, items[PROVIDERS])}
        with self._writes.begin(scope) as write:
            write.touch(SAVED_SESSIONS)
            index = session_index.by_id(items.get(SAVED_SESSIONS))
            _note_without_body(write, index)
            taken = adoptions.bodies(write.tx, scope)
            kept = [] if _list(write, taken, index) else [SAVED_SESSIONS]
            kept += [key for key in sorted(items) if not _put_if_absent(write, key, items[key])]
            adoptions.mark(write.tx, scope, write.now_ms)
        renamed = {source.removeprefix(SESSION_PREFIX): chat for source, chat in taken.items() if source != HISTORY}
        return Finished({old: new for old, new in renamed.items() if old != new}, kept)

    def read(self, scope: Scope, key: str) -> bytes:
        """What became of the browser's `key`, as JSON, for a comparison with the original. Raises NotFound."""
        with self._database.reading() as tx:
            if key == SAVED_SESSIONS:
                return _index(tx, scope)
            found = adoptions.body(tx, scope, key)
            name = session_key(found.chat_id) if found is not None else key
            stored = key_values.values(tx, scope, (name,))
        if name not in stored:
            raise NotFound("The store has nothing under that key.", what="key", id=key)
        return stored[name]

    def _take(self, scope: Scope, source: str, wanted: ChatId, value: Any) -> str:
        encoded = _encoded(source, value, orjson.OPT_SORT_KEYS)
        fingerprint = hashlib.sha256(encoded).digest()
        prepared = messages.prepare_all(value, self._clock())
        with self._writes.begin(scope) as write:
            before = adoptions.body(write.tx, scope, source)
            if before is not None and before.fingerprint == fingerprint:
                return before.chat_id
            if adoptions.is_marked(write.tx, scope):
                before = None  # another copy of the profile: what became of the first one's is not touched
            chat_id = ChatId(before.chat_id) if before is not None else _free_id(write.tx, scope, wanted, encoded)
            if before is not None or not _is_there(write.tx, scope, chat_id):
                write.touch(session_key(chat_id))
                _put_body(write, chat_id, encoded, value, prepared)
            adoptions.put_body(write.tx, scope, source, AdoptedBody(chat_id, fingerprint))
            return chat_id

    def _without_keys(self, scope: Scope, stored: Any) -> Any:
        """Providers without their keys, which go to the key store, each for the base URL it came with.

        A provider that has a key here keeps it. One that cannot be kept is left to the client, which sees that there is none.
        """
        complete = providers.merged(stored) if isinstance(stored, dict) else {}
        for name, fields in stored.items() if isinstance(stored, dict) else ():
            key = fields.get("apiKey") if isinstance(fields, dict) else None
            if isinstance(key, str) and key and not self._has_key(scope, name):
                try:
                    self._keys_of_providers().put(scope, providers.provider_from(complete[name]), key)
                except InvalidParams:
                    continue
        return providers.without_keys(stored)

    def _has_key(self, scope: Scope, name: str) -> bool:
        with self._database.reading() as tx:
            return bool(provider_keys.origins(tx, scope.namespace, name))


def _encoded(key: str, value: Any, option: int = 0) -> bytes:
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError as exc:  # browsers send at most 100 levels
        raise InvalidParams.at(key[:100], "is nested too deeply") from exc


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


def _note_without_body(write: Write, index: Mapping[str, Any]) -> None:
    """An entry whose body the browser did not have is a chat all the same: its name is all that is left of it."""
    for session_id in index:
        if adoptions.body(write.tx, write.scope, session_key(session_id)) is None:
            adoptions.put_body(write.tx, write.scope, session_key(session_id), AdoptedBody(session_id, NO_BODY))
            if entries.chat(write.tx, write.scope.namespace, session_id) is None:
                chat = Chat(ChatId(session_id), NO_SESSION, "", write.now_ms, write.now_ms, listed=False)
                entries.put_chat(write.tx, write.scope.namespace, chat)


def _index(tx: Transaction, scope: Scope) -> bytes:
    """The chats that were taken over, as an index, under the ids that they had in the browser."""
    found = []
    for source, chat_id in adoptions.bodies(tx, scope).items():
        chat = entries.chat(tx, scope.namespace, chat_id)
        if source != HISTORY and chat is not None and chat.listed:
            found.append({**session_index.entry(tx, chat), "id": source.removeprefix(SESSION_PREFIX)})
    return orjson.dumps(found)


def _list(write: Write, taken: Mapping[str, str], index: Mapping[str, dict[str, Any]]) -> bool:
    """List every chat that was taken over, described as the browser's index described it, else by its first question.

    A chat that was listed before stays as it is; False where the browser described one otherwise.
    """
    as_described = True
    for source, chat_id in taken.items():
        item = index.get(source.removeprefix(SESSION_PREFIX), {})
        chat = entries.chat(write.tx, write.scope.namespace, chat_id)
        if chat is None:
            if not _is_there(write.tx, write.scope, ChatId(chat_id)):
                continue  # it was taken over earlier, and deleted since
            chat = Chat(ChatId(chat_id), NO_SESSION, "", write.now_ms, write.now_ms, listed=False)
        if chat.listed:
            as_described = as_described and session_index.described(chat, item) == chat
            continue
        chat = session_index.described(chat, item)
        if not chat.name:
            chat = chat._replace(
                name=live.name_for(transcripts.messages(write.tx, chat.session_id), chat.created_at_ms)
            )
        entries.put_chat(write.tx, write.scope.namespace, chat)
    session_index.take_over(write)
    return as_described


def _put_if_absent(write: Write, key: str, value: Any) -> bool:
    """Write a key that the store does not have. True where the store then has what the browser had."""
    if key in (HISTORY, SAVED_SESSIONS, "activeSessionId") or key.startswith(SESSION_PREFIX):
        return True
    encoded = _encoded(key, value)
    there = key_values.values(write.tx, write.scope, (key,)).get(key)
    if there is not None:
        return json_value.equal(there, encoded)
    write.touch(key)
    area.put(write.tx, write.scope, key, encoded, json_value.size_of(key, encoded, value))
    return True
