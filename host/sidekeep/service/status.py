"""What the host can say of itself: hello's store and status (docs/protocol.md, Life)."""

from pathlib import Path
from typing import NamedTuple

from sidekeep.domain.scope import SIDEKEEP, Scope
from sidekeep.store import evictions, facts
from sidekeep.store.database import Database, Transaction
from sidekeep.store.evictions import Evicted


class StoreState(NamedTuple):
    engine: str
    store_id: str
    bytes: int
    conversations: int


class Counts(NamedTuple):
    """What one namespace keeps; pictures and archives of the whole store. Pairs are (count, bytes)."""

    conversations: int
    messages: int
    bytes: int
    blobs: tuple[int, int]
    archives: tuple[int, int]
    evicted: Evicted
    sqlite: str


class StoreStatus:
    """Figures of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def state(self, scope: Scope) -> StoreState:
        """What hello tells; cheap however much is stored."""
        with self._database.reading() as tx:
            return StoreState(
                self._database.engine,
                facts.store_id(tx),
                _size(tx, scope),
                facts.count_chats(tx, scope.namespace),
            )

    def counts(self, scope: Scope) -> Counts:
        from sidekeep.store import archived, blobs

        with self._database.reading() as tx:
            return Counts(
                facts.count_chats(tx, scope.namespace),
                facts.messages(tx, scope.namespace),
                _size(tx, scope),
                blobs.totals(tx, scope.namespace),
                archived.totals(tx, scope.namespace),
                evictions.read(tx, scope.namespace),
                facts.sqlite_version(),
            )

    def last_backup_at(self, home: Path) -> int | None:
        """When the newest backup was made, in milliseconds."""
        from sidekeep.store.backups import Backups

        return Backups(home).newest_at_ms()


def _size(tx: Transaction, scope: Scope) -> int:
    """The person's own extension is told the size of the file; another one what is its own."""
    return facts.size_bytes(tx) if scope.namespace == SIDEKEEP else facts.namespace_bytes(tx, scope.namespace)
