"""All rows of a store, table by table: what an operation that must change nothing is compared by."""

from typing import Any

from sidekeep.service.services import Services
from sidekeep.store.database import Transaction

# FTS5's own tables, which nobody reads but FTS5; what they are made of is in search_texts.
_SHADOWS = "search_grams"


def tables(tx: Transaction) -> list[str]:
    """Every table that the schema makes."""
    found = tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    return [str(name) for (name,) in found if not str(name).startswith((_SHADOWS, "sqlite_"))]


def every_row(services: Services) -> dict[str, list[Any]]:
    """The rows of every table, in an order of their own."""
    with services.database.reading() as tx:
        return {table: tx.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables(tx)}
