"""The method table, the handlers, the document and the errors say the same."""

import re
from pathlib import Path

import pytest

from sidekeep import errors
from sidekeep.errors import SidekeepError
from sidekeep.handlers.table import TABLE
from sidekeep.protocol import methods, typescript
from sidekeep.protocol.methods import METHODS, NOTIFICATIONS

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "protocol.md").read_text("utf-8")
ERROR_ROW = re.compile(r"^\| (-32\d{3}) \| (\w+) \|", re.MULTILINE)


def test_every_method_has_a_handler_and_every_handler_a_method() -> None:
    assert TABLE.keys() == METHODS.keys()


@pytest.mark.parametrize("method", METHODS)
def test_a_handler_can_be_found_when_it_is_first_called(method: str) -> None:
    handler = TABLE[method].resolve()
    assert callable(handler.parse)
    assert callable(handler.handle)


@pytest.mark.parametrize("name", [*NOTIFICATIONS.values(), *(s.result for s in METHODS.values())])
def test_every_type_that_the_table_names_exists(name: str) -> None:
    assert methods.load(name).model_json_schema()


def test_every_method_but_hello_and_ping_needs_hello() -> None:
    assert {name for name, method in TABLE.items() if not method.needs_hello} == {"hello", "ping"}


def test_storage_and_history_are_answered_in_order() -> None:
    ordered = {name for name in TABLE if name.startswith(("storage.", "history."))}
    assert {TABLE[name].lane for name in ordered} == {"ordered"}


def test_the_document_lists_what_this_version_answers() -> None:
    _, _, added = DOCUMENT.partition("## 6.")
    table = "\n".join(line.split("|")[1] for line in added.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`([a-z]\w*(?:\.\w+)?)`", table)) == METHODS.keys()


def test_the_documents_errors_are_the_programs() -> None:
    documented = {int(code): kind for code, kind in ERROR_ROW.findall(DOCUMENT)}
    assert {exc.code: exc.kind for exc in _tree(SidekeepError)} == documented


def test_the_extensions_mirror_is_the_one_these_types_make() -> None:
    committed = (ROOT / "extension" / "lib" / "protocol.d.ts").read_text("utf-8")
    assert committed.strip() == typescript.declarations().strip(), (
        "run: python -m sidekeep.protocol.typescript > extension/lib/protocol.d.ts"
    )


def test_the_tree_at_the_top_of_errors_is_the_tree_below_it() -> None:
    drawn = re.findall(r"^    [├└│ ]+── (\w+)", errors.__doc__ or "", re.MULTILINE)
    assert set(drawn) | {"ParseError", "SidekeepError"} == {exc.__name__ for exc in _tree(SidekeepError)}


def _tree(base: type[SidekeepError]) -> set[type[SidekeepError]]:
    """`base` and what this package derives from it, as far as errors.py defines it."""
    found = {base}
    for sub in base.__subclasses__():
        if sub.__module__ == errors.__name__:
            found |= _tree(sub)
    return found
