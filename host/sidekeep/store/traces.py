"""What an erasing transaction leaves behind in the file and its WAL, removed as soon as no reader is in the way.

The mark lies in the store, so whichever process comes next goes on with it.
"""

import uuid
from pathlib import Path

import apsw

from sidekeep.store import search_index
from sidekeep.store.database import Database, Transaction
from sidekeep.store.locks import checkpointing

_MARK = "traces"
# Rewriting a store of this size takes about a second, during which writers wait. A larger one is not rewritten: rows are
# overwritten where they stand, and what is left is a copy that SQLite made when it once moved a small row.
MAX_REWRITTEN_BYTES = 256 * 1024 * 1024


def mark(tx: Transaction) -> None:
    """Note, in the transaction that erases, that its traces have to be removed."""
    tx.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MARK, str(uuid.uuid4())))


def left(tx: Transaction) -> str | None:
    """The mark of traces that are still there."""
    for (value,) in tx.execute("SELECT value FROM meta WHERE name = ?", (_MARK,)):
        return str(value)
    return None


def remove(database: Database, locks: Path) -> None:
    """Rewrite the file, empty the WAL, take the mark away. Leaves it to another host that is at it.

    Raises StoreBusy where a reader or a writer is in the way: it has to be tried again.
    """
    with checkpointing(locks) as is_mine, database.in_use() as connection:
        found = left(connection) if is_mine else None
        if found is not None:
            connection.execute("PRAGMA secure_delete = ON")
            search_index.rewrite(connection)
            connection.execute("PRAGMA secure_delete = OFF")
            if int(connection.pragma("page_count")) * int(connection.pragma("page_size")) <= MAX_REWRITTEN_BYTES:
                connection.execute("VACUUM")
            else:
                connection.execute("PRAGMA incremental_vacuum").fetchall()  # a page for each step
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            connection.execute("DELETE FROM meta WHERE name = ? AND value = ?", (_MARK, found))
