"""A host that is killed at a statement of its own choosing: what it had written by then is all there is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw

from sidekeep.store.database import Database


class Stop(BaseException):
    """The process ends here."""


@contextmanager
def killed_at(database: Database, statement: int | None) -> Iterator[Callable[[], int]]:
    """Let this thread's connection execute so many statements and no more, None for all of them; yields how many it did.

    The store is to be opened anew afterwards.
    """
    count = 0

    def trace(_cursor: apsw.Cursor, _sql: str, _bindings: object) -> bool:
        nonlocal count
        if count == statement:
            raise Stop
        count += 1
        return True

    database.connection().exec_trace = trace
    try:
        yield lambda: count
    except Stop:
        pass
    finally:
        database.connection().exec_trace = None
