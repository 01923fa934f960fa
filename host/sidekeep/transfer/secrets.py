"""The one rule about keys, tokens and passwords in what is read and what is written: they are taken out, and nothing else is.

A member whose name says that it is a secret goes (`secret_names.py`); a key inside another text is replaced (`secret_values.py`),
also where that text is JSON itself. What somebody wrote, which the names of text tell, stays word for word.
"""

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sidekeep.transfer.secret_names import Kind, is_many, is_secret, kind_of, owner_of
from sidekeep.transfer.secret_values import REMOVED, is_key, may_hold, name_without_keys, without_keys

# Told of each secret: its place below the value, and whose it is, as far as its name tells.
Found = Callable[[str, str], None]

# `{"key": "Authorization", "value": "…"}`, as lists of headers and variables have it.
PAIR_LABELS = ("key", "name", "header")
PAIR_VALUE = "value"
# A description of members is no member.
SCHEMA_TYPES = ("object", "string", "array")
_PERSONS = ("user", "human")


def _untold(_place: str, _owner: str) -> None:
    pass


def without_secrets(value: Any, found: Found = _untold) -> Any:
    """The same JSON value without any secret, however deep; the very same object where nothing was taken out."""
    return _Walk(found).value(value, "", "")


def without_secrets_beside(record: Any, found: Found = _untold) -> Any:
    """The same for a record that is kept beside a chat: keys are taken out of its texts, too, unless a person wrote them."""
    return _Walk(found, is_text_kept=False).value(record, "", "")


def text_without_secrets(name: str, text: str, found: Found = _untold) -> str:
    """The same for the text of a member of that name which is no secret by its name."""
    return _Walk(found).text(text, name, "")


def is_pair(members: Mapping[str, Any]) -> bool:
    """Whether an object is the name of a secret beside its value."""
    value = members.get(PAIR_VALUE)
    labels = (members.get(label) for label in PAIR_LABELS)
    return isinstance(value, str) and any(isinstance(label, str) and is_secret(label, value) for label in labels)


def is_held(holder: str, value: str) -> bool:
    """Whether a text that stands in `holder`, such as `credentials`, is one of its secrets."""
    return is_many(holder) and is_secret(holder, value)


def name_in(holder: str, member: str) -> str:
    """What a member's text goes by: of `{"text": {"value": …}}` and `{"image_url": {"url": …}}` the outer name tells."""
    return holder if member in ("value", "url") and kind_of(holder) is Kind.TEXT else member


@dataclass(frozen=True, slots=True)
class _Walk:
    found: Found
    is_text_kept: bool = True

    def value(self, value: Any, name: str, place: str) -> Any:
        if isinstance(value, str):
            return self.text(value, name, place)
        if isinstance(value, dict):
            return self._members(value, name, place)
        return self._items(value, name, place) if isinstance(value, list) else value

    def _below(self, place: str, step: str) -> str:
        """A place below; none where nobody is told, because every member of a file comes by here."""
        return "" if self.found is _untold else f"{place}{step}"

    def text(self, text: str, name: str, place: str) -> str:
        kind = kind_of(name) if self.is_text_kept else Kind.OTHER
        if kind is Kind.TEXT or not may_hold(text) or text.startswith("data:"):
            return text
        if kind is Kind.LABEL:
            return self._plain(text, place) if is_key(text) else text
        left = self._json(text, name, place)
        return left if left is not None else self._lines(text, name, place)

    def _members(self, members: dict[str, Any], name: str, place: str) -> dict[str, Any]:
        walk = _Walk(self.found) if not self.is_text_kept and _is_persons(members) else self
        holder = name if is_many(name) and members.get("type") not in SCHEMA_TYPES else ""
        has_pair = PAIR_VALUE in members and is_pair(members)
        left: dict[str, Any] = {}
        is_same = True
        for key, value in members.items():
            member = name_without_keys(key)
            where = self._below(place, f".{member}" if place else member)
            if member != key:
                self.found(where, "")
            is_known = isinstance(value, str) and (is_secret(member, value) or is_held(holder, value))
            if is_known or (has_pair and member == PAIR_VALUE):
                self.found(where, owner_of(member))
                is_same = False
                continue
            left[member] = walk.value(value, name_in(name, member), where)
            is_same = is_same and member == key and left[member] is value
        return members if is_same else left

    def _items(self, items: list[Any], name: str, place: str) -> list[Any]:
        left: list[Any] = []
        is_same = True
        for index, item in enumerate(items):
            where = self._below(place, f"[{index}]")
            if isinstance(item, str) and is_secret(name, item):
                self.found(where, owner_of(name))
                is_same = False
                continue
            left.append(self.value(item, name, where))
            is_same = is_same and left[-1] is item
        return items if is_same else left

    def _json(self, text: str, name: str, place: str) -> str | None:
        """The text of an object or an array; None where it is none."""
        if text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            value = json.loads(text)
            left = self.value(value, name, place)
        except RecursionError:  # JSON in JSON that no settings are
            self.found(place, "")
            return REMOVED
        except ValueError:
            return None
        return text if left is value else json.dumps(left, separators=(",", ":"))

    def _lines(self, text: str, name: str, place: str) -> str:
        """A text that is no JSON; lines of it may be."""
        left: list[str] = []
        for is_json, lines in itertools.groupby(text.split("\n"), lambda line: line.startswith("{")):
            if is_json:
                left += (self._line(line, name, place) for line in lines)
            else:
                left += self._plain("\n".join(lines), place).split("\n")
        return "\n".join(left)

    def _line(self, line: str, name: str, place: str) -> str:
        left = self._json(line, name, place) if may_hold(line) else line
        return left if left is not None else self._plain(line, place)

    def _plain(self, text: str, place: str) -> str:
        left = without_keys(text)
        if left == text:
            return text
        self.found(place, "")
        return left


def _is_persons(members: Mapping[str, Any]) -> bool:
    """Whether a record is what a person said, as the programs tell it."""
    author = members.get("author")
    roles = (members.get("role"), members.get("sender"), author.get("role") if isinstance(author, dict) else None)
    return any(role in _PERSONS for role in roles if isinstance(role, str)) or members.get("isCreatedByUser") is True
