"""Reading settings.toml: which keys it sets, or which of its lines are wrong. pydantic and tomllib come with the first file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidekeep.errors import Problem, SettingsInvalid
from sidekeep.settings.model import KEYS

if TYPE_CHECKING:
    from pydantic import ValidationError

Values = Mapping[str, Any]

# A person's file has 2 KiB. Looking for the line of an error reads the text many times over.
MAX_BYTES = 65_536


def read(file: Path) -> Values:
    """The keys that the file sets, with their values; none where there is no file. Raises SettingsInvalid."""
    data = content(file)
    return {} if data is None else parse(file, data)


def content(file: Path) -> bytes | None:
    """The file's bytes; None where there is no file. Raises SettingsInvalid."""
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise SettingsInvalid(str(file), [(None, f"it cannot be read: {exc.strerror}.")]) from exc
    if len(data) > MAX_BYTES:
        raise SettingsInvalid(str(file), [(None, f"it is larger than {MAX_BYTES // 1024} KiB.")])
    return data


def parse(file: Path, data: bytes) -> Values:
    """The keys that a file of these bytes sets. Raises SettingsInvalid."""
    table = _table(file, data)
    return _checked(file, data, table)


def unknown(file: Path, data: bytes) -> list[tuple[int, str]]:
    """Keys that this version does not know, each with its line: other versions' keys, or slips of the pen."""
    from sidekeep.settings.lines import line_of

    text = data.decode("utf-8-sig")
    found = [path for path in _paths(_table(file, data)) if ".".join(path) not in KEYS]
    return sorted((line_of(text, path), ".".join(path)) for path in found)


def check(values: Values) -> Values:
    """Values by key, as a panel sets them, checked like the file's. None stands for no value.

    Raises pydantic's ValidationError.
    """
    table: dict[str, Any] = {}
    for name, value in values.items():
        room, _, key = name.rpartition(".")
        (table.setdefault(room, {}) if room else table)[key] = value
    return {name: None for name, value in values.items() if value is None} | dict(_validated(table))


def _table(file: Path, data: bytes) -> dict[str, Any]:
    import tomllib

    from sidekeep.settings.lines import line_of_offset

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as exc:
        line = line_of_offset(data, exc.start)
        raise SettingsInvalid(str(file), [(line, "this is not TOML: it is not UTF-8 text.")]) from exc
    except tomllib.TOMLDecodeError as exc:
        raise SettingsInvalid(str(file), [_toml_problem(data, str(exc))]) from exc


def _toml_problem(data: bytes, message: str) -> tuple[int, str]:
    """tomllib ends its messages in "(at line 3, column 5)" or "(at end of document)"."""
    import re

    what, _, where = message.rpartition(" (at ")
    found = re.match(r"line (\d+), column", where)
    line = int(found[1]) if found else data.rstrip().count(b"\n") + 1
    return line, f"this is not TOML: {what or message}."


def _checked(file: Path, data: bytes, table: dict[str, Any]) -> Values:
    from pydantic import ValidationError

    try:
        return dict(_validated(table))
    except ValidationError as exc:
        raise SettingsInvalid(str(file), _problems(data, exc)) from exc


def _problems(data: bytes, exc: ValidationError) -> Sequence[Problem]:
    """Where and why, never the value: a proxy's address may hold a password."""
    from sidekeep.settings.lines import line_of

    text = data.decode("utf-8-sig")
    errors = exc.errors(include_url=False, include_input=False, include_context=False)
    found = [(line_of(text, error["loc"]), f"{_dotted(error['loc'])}: {_reason(error)}.") for error in errors]
    return sorted(found)


def _reason(error: Mapping[str, Any]) -> str:
    return "this is a table" if error["type"] == "model_type" else str(error["msg"])


def _validated(table: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    from sidekeep.settings.schema import SettingsFile

    found = SettingsFile.model_validate(table).model_dump(by_alias=True, exclude_none=True)
    for path in _paths(found):
        value: Any = found
        for step in path:
            value = value[step]
        yield ".".join(path), value


def _paths(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of everything that is no table."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _paths(value, (*above, name))
        else:
            yield (*above, name)


def _dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in path)
