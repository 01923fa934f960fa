"""The dearest step that a store of an older version takes at its first opening: the search index, made from every message.

`python -m tasks.simulate.migrate STORE`, in the host's own Python.
"""

import sys
from pathlib import Path

from sidekeep.store import search_index
from sidekeep.store.database import Database


def main(store: Path) -> None:
    database = Database(store)
    with database.transaction() as tx:
        search_index.rebuild(tx)
    database.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
