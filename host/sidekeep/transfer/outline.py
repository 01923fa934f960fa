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
from sidekeep.transfer.secret_names import holds_key, is_secret, owner_of

# The member names of this many levels are noted: a record, what is in it, and the members of those.
_NOTED_LEVELS = 5
# Records of one file are alike, so what the first ones are made of tells the format.
NOTED_RECORDS = 50
# A member whose value tells whose key it lies beside, best first.
_LABELS = ("customName", "name", "provider", "itemName", "title")
_NOTED_VALUES = frozenset((*_LABELS, "baseUrl"))
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
    """One open object or array on the way to where the parser is."""

    path: str
    place: str
    is_array: bool
    name: str = ""
    index: int = -1
    members: int = 0
    labels: dict[str, str] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)


def survey(raw: BinaryIO, *, records: int | None = None) -> Outline:
    """Read the file to its end, or an array's first `records` items. Raises Unreadable."""
    outline = Outline()
    levels: list[_Level] = []
    for event, value in _sound(raw):
        if event == "map_key":
            levels[-1].name = value
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
            levels.append(_Level(path, place, event == "start_array"))
            continue
        if len(levels) <= _NOTED_LEVELS:
            _step(levels, outline)
        elif levels[-1].is_array:
            levels[-1].index += 1
        if event in ("string", "number") and not levels[-1].is_array:
            _note(levels, value, outline)
    return outline


def holds_keys(raw: BinaryIO) -> bool:
    """Read an array of records to its end, or to the first one that holds a key. Raises Unreadable."""
    return any(holds_key(record) for record in json_text.values(raw, "item"))


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


def _note(levels: list[_Level], value: Any, outline: Outline) -> None:
    level = levels[-1]
    if is_secret(level.name, value):
        level.secrets.append(level.name)
    elif level.name in _NOTED_VALUES and isinstance(value, str) and value:
        level.labels[level.name] = value[:200]
    if len(levels) == 1 and (not isinstance(value, str) or len(value) <= 100):
        outline.marks[level.name] = value


def _keys_in(level: _Level) -> list[KeyFound]:
    prefix = f"{level.place}." if level.place else ""
    return [KeyFound(f"{prefix}{name}", _provider(level, name)) for name in level.secrets]


def _provider(level: _Level, name: str) -> str:
    """Whose key it is: what the member is called, what stands beside it, or the name under which its object stands."""
    label = next((level.labels[each] for each in _LABELS if each in level.labels), "")
    own_name = level.place.rpartition(".")[2]
    return (
        owner_of(name)
        or label
        or ("" if own_name.endswith("]") else own_name)
        or _host(level.labels.get("baseUrl", ""))
    )


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
