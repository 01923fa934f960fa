"""Which members of a foreign file hold a secret. Their values are never kept and never told."""

import re
from functools import lru_cache
from typing import Any

_SECRET = re.compile(
    r"^(?P<owner>.*?)[_-]?(?:api[_-]?key|secret(?:[_-]?key)?|(?:access|refresh|bearer|auth|id|session)[_-]?token|password|authorization|bearer)$",
    re.IGNORECASE,
)

# A quick look that saves parsing: what it passes over holds no such member.
MAY_HOLD_SECRETS = re.compile(rb"api[_-]?key\"|secret|token\"|password\"|authorization\"|bearer\"", re.IGNORECASE)


def is_secret(name: str, value: Any) -> bool:
    """Whether a member of that name, with that value, is a key, a token or a password."""
    return isinstance(value, str) and value != "" and _is_secret_name(name)


@lru_cache(maxsize=4096)
def _is_secret_name(name: str) -> bool:
    """Asked of every member of a file, whose names are always the same few."""
    return _SECRET.match(name) is not None


def owner_of(name: str) -> str:
    """Whose secret it is, as far as the member's name tells: "claude" of `claudeApiKey`, "" of `apiKey`."""
    found = _SECRET.match(name)
    return found["owner"] if found else ""


def without_secrets(value: Any) -> Any:
    """The same JSON without any member that holds a secret, however deep."""
    if isinstance(value, dict):
        return {name: without_secrets(item) for name, item in value.items() if not is_secret(name, item)}
    return [without_secrets(item) for item in value] if isinstance(value, list) else value
