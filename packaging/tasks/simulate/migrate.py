"""The dearest that is ever done to a store at once: its search index made anew (`sidekeep store check --repair`).

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
