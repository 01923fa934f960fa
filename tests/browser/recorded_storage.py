"""The recorded answers of a browser's storage (../shared/cases/storage.json), as JavaScript to be played again."""

import json
from pathlib import Path
from typing import Any

SHARED = Path(__file__).parents[2].parent / "shared"
CASES = SHARED / "cases" / "storage.json"
RUNNER = SHARED / "tools" / "storage_runner.js"

# About the browser's own objects, or areas that Sidekeep has not.
NOT_OURS = ("session.", "shape.storage_property_names", "shape.descriptors", "shape.identity")


def cases() -> list[dict[str, Any]]:
    """Every case about an area such as ours."""
    recorded: list[dict[str, Any]] = json.loads(CASES.read_text("utf-8"))["cases"]
    return [case for case in recorded if not case["id"].startswith(NOT_OURS)]


def expected(case: dict[str, Any]) -> Any:
    """What the browser answered, without a quota."""
    return case.get("expected_unlimited", case["expected"])


def script(case: dict[str, Any]) -> str:
    """The case's operations, for the runner's `Probe.run`."""
    return f"Probe.run({json.dumps(case['area'])}, [{','.join(_operation(op) for op in case['ops'])}])"


def _operation(op: dict[str, Any]) -> str:
    if op["op"] == "js":
        silent = json.dumps(bool(op.get("noev")))
        return f"{{op: 'js', noev: {silent}, fn: async (S, chrome, T) => {{{op['code']}\n}}}}"
    arguments = ",".join(_value(argument) for argument in op.get("args", []))
    return f"{{op: {json.dumps(op['op'])}, cb: {json.dumps(bool(op.get('cb')))}, args: () => [{arguments}]}}"


def _value(value: Any) -> str:
    """A recorded value as an expression: {"$js": EXPR} is one already, {"$obj": {...}} is that object."""
    if isinstance(value, list):
        return f"[{','.join(_value(item) for item in value)}]"
    if not isinstance(value, dict):
        return json.dumps(value)
    if list(value) == ["$js"]:
        return f"({value['$js']})"
    members = value["$obj"] if list(value) == ["$obj"] else value
    listed = ",".join(f"[{json.dumps(name)}]: {_value(item)}" for name, item in members.items())
    return f"{{{listed}}}"
