"""The smallest native host that can be written in Python: what no other can be faster than.

It looks at nothing that it is sent. Usage: an executable copy of this file, started by the browser; where a file `reply`
lies beside it, that is the answer to whatever comes (frames, as they are), else what came goes back. Where a database `rows` lies
beside it, what comes is committed as a row of it first.
"""

import os

REPLY, ROWS = (os.path.join(os.path.dirname(__file__), name) for name in ("reply", "rows"))


def main() -> None:
    """Serve until the end of input."""
    reply, rows = b"", None
    if os.path.exists(REPLY):
        with open(REPLY, "rb") as file:
            reply = file.read()
    if os.path.exists(ROWS):
        import sqlite3  # what `python -IS` has

        rows = sqlite3.connect(ROWS, isolation_level=None)
        rows.execute("PRAGMA synchronous = NORMAL")
    while data := os.read(0, 1 << 20):
        if rows is not None:
            rows.execute("INSERT INTO rows VALUES (?)", (data,))
        left = memoryview(reply or data)
        while left:
            left = left[os.write(1, left) :]


if __name__ == "__main__":
    main()
