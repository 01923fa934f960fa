"""Waiting for what another process does: bounded by a deadline that only something broken meets."""

import threading
import time
from collections.abc import Callable

WAIT_S = 60.0
_STEP_S = 0.02


def wait_until(is_so: Callable[[], bool], otherwise: str, *, within_s: float = WAIT_S) -> None:
    """Look until it is so. Fails with `otherwise` at the deadline."""
    end = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < end, otherwise
        threading.Event().wait(_STEP_S)
