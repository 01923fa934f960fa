"""A first look at a whole JSON file: that it is sound to its end, what it is made of, and which keys lie in it.

One pass over the parser's events; nothing of the content is held. Reading begins only after it, so a file that was cut short
leaves the store as it was. Of an array of known records only the first ones are looked at in this way, which takes three times as
long as making them whole: `holds_keys` reads it to its end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from sidekeep.errors import UnknownFormat, Unreadable
from sidekeep.transfer import json_text
from sidekeep.transfer.conversation import KeyFound
from sidekeep.transfer.secret_names import Kind, is_secret, kind_of, owner_of
from sidekeep.transfer.secret_values import name_without_keys, without_keys
from sidekeep.transfer.secrets import (
    PAIR_LABELS,
    PAIR_VALUE,
    SCHEMA_TYPES,
    is_held,
    is_pair,
    name_in,
    text_without_secrets,
    without_secrets,
)

# The member names of this many levels are noted: a record, what is in it, and the members of those.
_NOTED_LEVELS = 5
# Records of one file are alike, so what the first ones are made of tells the format.
NOTED_RECORDS = 50
# A member whose value tells whose key it lies beside, best first.
_LABELS = ("customName", "name", "provider", "itemName", "title")
_NOTED_VALUES = frozenset((*_LABELS, *PAIR_LABELS, PAIR_VALUE, "baseUrl", "type"))
# A map of a thousand ids is not noted whole; a dump of a storage area is.
_NOTED_MEMBERS = 100
_NOTED_KEYS = 100_000
_TOLD_KEYS = 1_000
_MAX_LEVELS = 10_000
# A place is told to people; of a deep one its beginning is enough.
_PLACE_CHARS = 500


@dataclass(slots=True)
class Outline:
    """`paths` are where members stand, indexes as "[]": "[].mapping" is in each item of the array that the file is.
    `marks` are the short strings and numbers of the topmost object, such as a format's version. `is_whole`: nothing lies behind
    what was looked at."""

    paths: set[str] = field(default_factory=set)
    marks: dict[str, Any] = field(default_factory=dict)
    keys: list[KeyFound] = field(default_factory=list)
    is_whole: bool = True

    @property
    def is_array(self) -> bool:
        return "[]" in self.paths


@dataclass(slots=True)
class _Level:
    """One open object or array on the way to where the parser is. `holder` is the member that it is the value of, `secrets` are
    places with their owners; those in `held` are none if it describes members."""

    path: str
    place: str
    is_array: bool
    holder: str
    name: str = ""
    index: int = -1
    members: int = 0
    labels: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    held: list[str] = field(default_factory=list)

    @property
    def here(self) -> str:
        """The place of what is read now."""
        if self.is_array:
            return f"{self.place}[{self.index}]"
        return f"{self.place}.{self.name}" if self.place else self.name

    def found(self, place: str, owner: str) -> None:
        """Note a secret inside of what is read now."""
        inner = place if place.startswith("[") or not place else f".{place}"
        self.secrets[f"{self.here}{inner}"] = owner

    @property
    def member(self) -> str:
        """What its values go by: the items of an array by its own name."""
        return self.holder if self.is_array else self.name


def survey(raw: BinaryIO, *, records: int | None = None) -> Outline:
    """Read the file to its end, or an array's first `records` items. Raises Unreadable."""
    outline = Outline()
    levels: list[_Level] = []
    for event, value in _sound(raw):
        if event == "map_key":
            _name(levels[-1], value)
            continue
        if event in ("end_map", "end_array"):
            outline.keys += _keys_in(levels.pop())[: _TOLD_KEYS - len(outline.keys)]
            if len(levels) == 1 and levels[0].is_array and levels[0].index + 1 == records:
                outline.is_whole = False
                break
            continue
        if event in ("start_map", "start_array"):
            if len(levels) >= _MAX_LEVELS:
                raise Unreadable(f"It is nested more than {_MAX_LEVELS:,} levels deep.")
            path, place = _step(levels, outline)
            levels.append(_Level(path, place, event == "start_array", levels[-1].member if levels else ""))
            continue
        if len(levels) <= _NOTED_LEVELS:
            _step(levels, outline)
        elif levels[-1].is_array:
            levels[-1].index += 1
        if event == "string":
            _look(levels[-1], value)
        if event in ("string", "number") and len(levels) == 1 and not levels[0].is_array:
            _mark(levels[0], value, outline)
    return outline


def holds_keys(raw: BinaryIO) -> bool:
    """Read an array of records to its end, or to the first one that holds a key. Raises Unreadable."""
    return any(_holds_key(record) for record in json_text.values(raw, "item"))


def _holds_key(record: Any) -> bool:
    try:
        return without_secrets(record) is not record
    except RecursionError:  # a look at everything tells
        return True


def _sound(raw: BinaryIO) -> Iterator[tuple[str, Any]]:
    is_first = True
    for event in json_text.events(raw):
        if is_first and event[0] not in ("start_map", "start_array"):
            raise UnknownFormat(
                "It is JSON, and no export of conversations. Choose the file that a program's own export made."
            )
        is_first = False
        yield event


def _step(levels: list[_Level], outline: Outline) -> tuple[str, str]:
    """Path and place of the value that comes now."""
    if not levels:
        return "", ""
    level = levels[-1]
    if len(level.place) > _PLACE_CHARS:
        return level.path, level.place
    if level.is_array:
        level.index += 1
        place = f"{level.place}[{level.index}]"
        path = f"{level.path}[]"
    else:
        place = f"{level.place}.{level.name}" if level.place else level.name
        path = f"{level.path}.{level.name}" if level.path else level.name
    level.members += 1
    most = _NOTED_KEYS if len(levels) == 1 else _NOTED_MEMBERS
    if len(levels) <= _NOTED_LEVELS and level.index < NOTED_RECORDS and level.members <= most:
        outline.paths.add(path)
    return path, place


def _mark(level: _Level, value: Any, outline: Outline) -> None:
    if not isinstance(value, str) or len(value) <= 100:
        outline.marks[level.name] = value


def _name(level: _Level, name: str) -> None:
    level.name = name_without_keys(name)
    if level.name != name:
        level.secrets[level.here] = ""


def _look(level: _Level, text: str) -> None:
    """Note what of a text is a secret, and what tells whose it may be."""
    if is_secret(level.member, text):
        level.secrets[level.here] = owner_of(level.member)
        return
    if not level.is_array and is_held(level.holder, text):
        level.held.append(level.here)
    if level.name in _NOTED_VALUES and text and not level.is_array:
        level.labels[level.name] = text[:200]
    text_without_secrets(name_in(level.holder, level.member), text, level.found)


def _keys_in(level: _Level) -> list[KeyFound]:
    """Call at its end, when all that stands beside them is known."""
    if level.labels.get("type") not in SCHEMA_TYPES:
        level.secrets.update(dict.fromkeys(level.held, ""))
    if is_pair(level.labels):
        level.name = PAIR_VALUE
        level.secrets[level.here] = ""
    return [KeyFound(where, _provider(level, owner)) for where, owner in level.secrets.items()]


def _provider(level: _Level, owner: str) -> str:
    """Whose key it is: what the member is called, what stands beside it, or the name under which its object stands."""
    labels = (level.labels[each] for each in _LABELS if each in level.labels)
    label = next(
        (each for each in labels if kind_of(each) not in (Kind.SECRET, Kind.LIKELY) and without_keys(each) == each), ""
    )
    own_name = level.place.rpartition(".")[2]
    return owner or label or ("" if own_name.endswith("]") else own_name) or _host(level.labels.get("baseUrl", ""))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
