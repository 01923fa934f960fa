"""When a request that failed is sent once more, and after how long."""

from sidekeep.errors import ModelUnavailable, ProviderFailed

MAX_RETRIES = 2

# Nobody watches a panel wait for longer: the error says how long the server asks for.
LONGEST_WAIT_S = 60.0
_FIRST_WAIT_S = 0.5
_GROWTH = 4.0
# A wait is this share of itself at least; the rest is chance, so that many clients do not come back at once.
_SURE_SHARE = 0.5

_PASSING = frozenset(("unreachable", "rate_limit", "server"))


def wait_s(failure: ProviderFailed, retries: int, chance: float) -> float | None:
    """Seconds to wait before the request is sent again; None where that would not help, or was done often enough.

    `retries` is how often it was, `chance` in 0..1. `Retry-After` is honoured: never sooner than the server asks.
    """
    if retries >= MAX_RETRIES or not _may_pass(failure):
        return None
    own = _FIRST_WAIT_S * _GROWTH**retries * (_SURE_SHARE + (1 - _SURE_SHARE) * chance)
    wait = max(own, failure.retry_after_s or 0.0)
    return wait if wait <= LONGEST_WAIT_S else None


def _may_pass(failure: ProviderFailed) -> bool:
    """Network errors, 429 and 5xx. A connection that was cut before the first word is a network error, too."""
    if isinstance(failure, ModelUnavailable):
        return False
    if failure.verdict in _PASSING:
        return True
    return failure.verdict == "bad_response" and failure.cut_off
