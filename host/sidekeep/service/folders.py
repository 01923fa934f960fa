"""Folders: folders.* (docs/protocol.md, Sessions and folders)."""

from collections.abc import Iterator
from contextlib import contextmanager

from sidekeep.domain.chat import given_name
from sidekeep.domain.scope import Scope
from sidekeep.errors import InvalidParams, LimitReached, NotFound
from sidekeep.service.clock import Clock
from sidekeep.service.limits import Limits
from sidekeep.store import folders
from sidekeep.store.database import Database, Transaction
from sidekeep.store.folders import Folder


class Folders:
    """One store's folders."""

    def __init__(self, database: Database, clock: Clock, limits: Limits) -> None:
        self._database = database
        self._clock = clock
        self._limits = limits

    def all(self, scope: Scope) -> list[Folder]:
        """Every folder, oldest first, with how many chats are in it."""
        with self._database.reading() as tx:
            return folders.all_of(tx, scope.namespace)

    def create(self, scope: Scope, name: str) -> Folder:
        """A new folder. Raises InvalidParams for a name of blanks, LimitReached."""
        title = _title(name)
        with self._database.transaction() as tx:
            limit = self._limits.folders
            if limit and (there := folders.count(tx, scope.namespace)) >= limit:
                raise LimitReached(
                    f"The limit of folders is {limit}, and there are {there}. Delete some, or raise limits.folders.",
                    limit=limit,
                )
            return folders.create(tx, scope.namespace, title, self._clock())

    def rename(self, scope: Scope, folder_id: str, name: str) -> Folder:
        """Give a folder another name. Raises InvalidParams for a name of blanks, NotFound."""
        title = _title(name)
        with self._changing(scope, folder_id) as (tx, folder):
            folders.rename(tx, folder_id, title)
            return folder._replace(name=title)

    def exclude(self, scope: Scope, folder_id: str, *, excluded: bool) -> None:
        """Keep a folder's chats from other programs, or no longer. Raises NotFound."""
        with self._changing(scope, folder_id) as (tx, _):
            folders.exclude(tx, folder_id, excluded=excluded)

    def delete(self, scope: Scope, folder_id: str) -> None:
        """Delete a folder; its chats stay, unfiled. Raises NotFound."""
        with self._changing(scope, folder_id) as (tx, _):
            folders.delete(tx, scope.namespace, folder_id)

    @contextmanager
    def _changing(self, scope: Scope, folder_id: str) -> Iterator[tuple[Transaction, Folder]]:
        with self._database.transaction() as tx:
            folder = folders.find(tx, scope.namespace, folder_id)
            if folder is None:
                raise NotFound("That folder is not there (any more).", what="folder", id=folder_id)
            yield tx, folder


def _title(name: str) -> str:
    title = given_name(name)
    if not title:
        raise InvalidParams.at("name", "a folder's name is not empty")
    return title
