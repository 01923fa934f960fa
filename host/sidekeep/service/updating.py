"""An update while a panel is open: this host goes on until nothing is asked of it, and leaves; the next one is the new version's.

What a running program imports later must be of its own version. The packages see to that where they can (a folder for each
version); pip writes into the old one's place, so a host that has been replaced had better not stay.
"""

import time
from collections.abc import Callable

from sidekeep import program

# One look at one file; nobody waits for an update to be noticed.
LOOK_S = 2.0
# An installer is still writing when the first of its files has changed.
SETTLED_S = 1.0
# Between a panel's requests; the panel opens the port again by itself, and asks what was not answered anew.
QUIET_S = 0.5
STEP_S = 0.1


def wait_until_replaced() -> None:
    """Return when another version of this program is in its place, whole."""
    while not program.is_replaced():
        time.sleep(LOOK_S)
    time.sleep(SETTLED_S)


def wait_until_quiet(quiet_s: Callable[[], float]) -> None:
    """Return when nothing has been asked for a moment; `quiet_s` says for how long nothing has been, 0 while an answer comes."""
    while quiet_s() < QUIET_S:
        time.sleep(STEP_S)
