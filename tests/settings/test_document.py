"""docs/settings.md, the wire's document, the table of keys and what pydantic checks say the same."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sidekeep.settings import file as settings_file
from sidekeep.settings.model import KEYS, Settings, value_of
from sidekeep.settings.schema import SettingsFile

DOCS = Path(__file__).parents[2] / "docs"
ROW = re.compile(r"^\| `([\w.]+)` \| `(.+?)` \| ([\w, ]+) \| (.+?) \| (.+?) \| .+ \|$", re.MULTILINE)
ROWS = {row[0]: row[1:] for row in ROW.findall((DOCS / "settings.md").read_text("utf-8"))}
RANGE = re.compile(r"^(\d+) to (\d+)$")


def _checked_keys(model: type[BaseModel], above: str = "") -> set[str]:
    found = set()
    for name, field in model.model_fields.items():
        path = f"{above}{field.alias or name}"
        table = field.default
        found |= _checked_keys(type(table), f"{path}.") if isinstance(table, BaseModel) else {path}
    return found


def test_the_document_has_the_programs_keys() -> None:
    assert ROWS.keys() == KEYS.keys()


def test_pydantic_checks_the_same_keys() -> None:
    assert _checked_keys(SettingsFile) == KEYS.keys()


@pytest.mark.parametrize("name", KEYS)
def test_the_document_says_of_a_key_what_the_program_does(name: str) -> None:
    default, origin, when, _ = ROWS[name]
    key = KEYS[name]
    assert json.loads(default) == _plain(value_of(Settings(), name))
    assert origin == ("file, panel" if key.panel else "file")
    assert ("next start" not in when) == key.live
    assert ("once confirmed" in when) == key.evicts


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if RANGE.match(row[3])])
def test_the_ends_of_a_documented_range_are_allowed_and_nothing_beyond(name: str) -> None:
    found = RANGE.match(ROWS[name][3])
    assert found is not None
    low, high = map(int, found.groups())
    for value in (low, high):
        assert settings_file.check({name: value}) == {name: value}
    for value in (low - 1, high + 1):
        with pytest.raises(ValueError, match=re.escape(name)):
            settings_file.check({name: value})


def test_the_defaults_are_allowed() -> None:
    defaults = {name: _plain(value_of(Settings(), name)) for name in KEYS}
    assert settings_file.check(defaults) == defaults


def test_the_wires_document_has_the_same_table() -> None:
    text = (DOCS / "protocol.md").read_text("utf-8")
    table = text.partition("| SETTINGS |")[2].partition("\n\n")[0]
    wired: dict[str, tuple[Any, str]] = {}
    for line in table.splitlines()[2:]:
        names, defaults, origin = (cell.strip() for cell in line.strip("|").split("|"))
        plain = json.loads(f"[{re.sub(r' *[(].*?[)]', '', defaults)}]")
        wired |= {name: (value, origin) for name, value in zip(names.split(", "), plain, strict=True)}
    assert wired == {name: (json.loads(row[0]), row[1]) for name, row in ROWS.items()}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
