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


def names_key(members: dict[str, Any]) -> bool:
    """Whether one of an object's own members is a key, a token or a password."""
    return _is_secret_among(tuple(members)) and any(is_secret(name, value) for name, value in members.items())


def holds_key(value: Any) -> bool:
    """Whether there is a member that holds a secret in a JSON value, however deep."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if type(each) is dict:
            if names_key(each):
                return True
            each = list(each.values())
        if type(each) is list:
            waiting += [inner for inner in each if type(inner) is dict or type(inner) is list]
    return False


@lru_cache(maxsize=4096)
def _is_secret_among(names: tuple[str, ...]) -> bool:
    """Asked of every object of a file, most of which have the same few members."""
    return any(map(_is_secret_name, names))


@lru_cache(maxsize=4096)
def _is_secret_name(name: str) -> bool:
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
