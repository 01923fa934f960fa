"""The archive: archive.* (docs/protocol.md, Archive). What was deleted, reset or evicted is found here and comes back."""

from collections.abc import Sequence

import orjson

from sidekeep.domain import search_text
from sidekeep.domain.backup import DAY_MS, day_of
from sidekeep.domain.chat import Chat, ChatSize
from sidekeep.domain.scope import Scope
from sidekeep.errors import NotFound
from sidekeep.service import finding, live, messages
from sidekeep.service.clock import Clock
from sidekeep.service.limits import Limits
from sidekeep.service.messages import Pixels
from sidekeep.service.writing import Writes
from sidekeep.store import archived, entries, erasing, evictions, expiry, folders, imports, traces, transcripts
from sidekeep.store.archived import Archive, Wanted
from sidekeep.store.database import Database, Transaction
from sidekeep.store.erasing import Erased
from sidekeep.store.search import Search


class Archives:
    """One store's archive."""

    def __init__(self, database: Database, clock: Clock, limits: Limits) -> None:
        self._database = database
        self._clock = clock
        self._writes = Writes(database, clock, limits)

    def page(
        self, scope: Scope, wanted: Wanted, *, query: str = "", limit: int, offset: int
    ) -> tuple[list[Archive], int]:
        """A page of the archives, latest first, and how many there are in all; with `query` those whose name or text has it."""
        with self._database.reading() as tx:
            if query.strip():
                found = finding.archives(tx, Search(tx, search_text.parse(query)), scope.namespace)
                wanted = wanted._replace(ids=found)
            return archived.page(tx, scope.namespace, wanted, limit=limit, offset=offset)

    def get(self, scope: Scope, archive_id: str, pixels: Pixels) -> tuple[Archive, list[orjson.Fragment]]:
        """An archive with its messages, rendered. Raises NotFound."""
        with self._database.reading() as tx:
            found = _found(tx, scope, archive_id)
            return found, messages.render(tx, archived.messages(tx, archive_id), pixels)

    def restore(self, scope: Scope, archive_id: str) -> tuple[Chat, ChatSize]:
        """Make an archive a chat again, a new one, in the folder it was in. The archive has it no longer. Raises NotFound."""
        with self._writes.begin(scope) as write:
            found = _found(write.tx, scope, archive_id)
            session_id = archived.give_back(write.tx, archive_id, write.now_ms)
            rows = transcripts.references(write.tx, session_id)
            name = found.name or live.name_for(transcripts.messages(write.tx, session_id), found.archived_at_ms)
            folder = found.folder if found.folder and folders.find(write.tx, scope.namespace, found.folder) else None
            chat = live.new_chat(write, rows, name, folder=folder)
            transcripts.delete(write.tx, session_id, write.now_ms)  # the chat has its rows now
            _count_back(write.tx, scope, found)
            return chat, chat.measure.size

    def purge(self, scope: Scope, ids: Sequence[str] | None, before_ms: int | None) -> tuple[int, Erased]:
        """Delete archives for good: those named that are there, or those from before a time. Returns how many went."""
        with self._database.transaction(erasing=True) as tx:
            if ids is not None:
                ids = [name for name in dict.fromkeys(ids) if archived.find(tx, scope.namespace, name) is not None]
            else:
                ids = archived.before(tx, scope.namespace, before_ms or 0)
            return len(ids), _purge(tx, ids)

    def expire(self, days: int) -> int:
        """Delete for good what has been in the archive for more than that many days, whoever's it is (0: nothing).

        Only what was found so on several different days: the clock may be wrong today. Returns how many went.
        """
        if not days:
            return 0
        now_ms = self._clock()
        oldest_ms, today = now_ms - days * DAY_MS, day_of(now_ms)
        with self._database.reading() as tx:
            if not expiry.is_to_be_noted(tx, oldest_ms, today):
                return 0
        with self._database.transaction(erasing=True) as tx:
            expiry.note(tx, oldest_ms, today)
            ids = expiry.expired(tx)
            _purge(tx, ids)
            return len(ids)


def _purge(tx: Transaction, ids: Sequence[str]) -> Erased:
    if not ids:
        return Erased()
    traces.mark(tx)
    chats = archived.chats_of(tx, ids)
    erased = erasing.archives(tx, ids)
    for namespace, chat_id in chats:
        if entries.chat(tx, namespace, chat_id) is None and not archived.of_chat(tx, namespace, chat_id):
            imports.forget_kept(tx, namespace, chat_id)
    return erased


def _count_back(tx: Transaction, scope: Scope, given_back: Archive) -> None:
    """What was evicted and is here again counts as evicted no longer."""
    if given_back.evicted and given_back.part == "chat":
        evictions.take_back(tx, scope.namespace, chats=1)
    elif given_back.evicted and given_back.part == "messages":
        evictions.take_back(tx, scope.namespace, messages=given_back.messages)


def _found(tx: Transaction, scope: Scope, archive_id: str) -> Archive:
    found = archived.find(tx, scope.namespace, archive_id)
    if found is None:
        raise NotFound("That is not in the archive (any more).", what="archive", id=archive_id)
    return found
