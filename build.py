#!/usr/bin/env python3
"""Sidekeep's task runner: `python3 build.py --help`. Needs nothing but Python; the tasks are in packaging/tasks/."""

import os
import sys

# This file alone is read by any Python 3, so that an old one can be told so.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        "build.py needs Python 3.11 or later and this is {}.{}: install a newer one and run build.py with it.".format(
            *sys.version_info[:2]
        )
    )
# The folder packaging/ itself is no package: its name belongs to one on PyPI.
for folder in ("host", "packaging"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), folder))

if __name__ == "__main__":
    from tasks.cli import main

    sys.exit(main())
