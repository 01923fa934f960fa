"""The wire's types as TypeScript, for the extension: `python -m sidekeep.protocol.typescript > extension/lib/protocol.d.ts`.

A test fails while the committed file differs from what this prints.
"""

from collections.abc import Iterator
from typing import Any

from sidekeep.protocol.methods import METHODS, NOTIFICATIONS, load

_HEADER = """\
// The wire's types, made from host/sidekeep/protocol/ by `python -m sidekeep.protocol.typescript`. Do not edit.
// What they mean: docs/protocol.md.
"""

_SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declarations() -> str:
    """The whole file: an interface for each shape, then the tables of methods and notifications."""
    interfaces: dict[str, str] = {}
    methods = [
        f"  {_quoted(name)}: {{ params: {_declare(types.params, interfaces)}; result: {_declare(types.result, interfaces)} }};"
        for name, types in METHODS.items()
    ]
    notifications = [f"  {_quoted(name)}: {_declare(shape, interfaces)};" for name, shape in NOTIFICATIONS.items()]
    return "\n".join(
        (
            _HEADER,
            *(interfaces[name] + "\n" for name in sorted(interfaces)),
            "/** Every method: its parameters and its result. */",
            "export interface Methods {",
            *methods,
            "}\n",
            "/** Every notification the host sends. */",
            "export interface Notifications {",
            *notifications,
            "}",
        )
    )


def _declare(name: str, interfaces: dict[str, str]) -> str:
    """Add the interfaces that `module:Type` needs; its own name, told apart from other modules' types of that name."""
    module, _, type_name = name.partition(":")
    schema = load(name).model_json_schema(ref_template="{model}", mode="validation")
    prefix = "" if module in ("shapes", "model") else _capitalised(module)
    for own, definition in schema.get("$defs", {}).items():
        interfaces[own] = _interface(own, definition)
    full = type_name if type_name.startswith(prefix) else prefix + type_name
    interfaces[full] = _interface(full, schema)
    return full


def _interface(name: str, schema: dict[str, Any]) -> str:
    lines = [f"export interface {name} {{", *_members(schema), "}"]
    description = schema.get("description")
    if description:
        lines.insert(0, f"/** {' '.join(description.split())} */")
    return "\n".join(lines)


def _members(schema: dict[str, Any]) -> Iterator[str]:
    required = schema.get("required", [])
    for name, member in schema.get("properties", {}).items():
        mark = "" if name in required else "?"
        kind = _kind(member)
        if mark and "default" in member and member["default"] is None:
            kind = kind.removesuffix(" | null")
        yield f"  {name}{mark}: {kind};"


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"])
    if "const" in schema:
        return _quoted(schema["const"])
    if "enum" in schema:
        return " | ".join(_quoted(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_kind(choice) for choice in schema["anyOf"]))
    if schema.get("type") == "array":
        item = _kind(schema.get("items", {}))
        return f"({item})[]" if " " in item else f"{item}[]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {_kind(values)}>" if isinstance(values, dict) else "Record<string, unknown>"
    return _SIMPLE.get(str(schema.get("type")), "unknown")


def _quoted(value: object) -> str:
    return f'"{value}"'


def _capitalised(module: str) -> str:
    return module[:1].upper() + module[1:]


if __name__ == "__main__":
    print(declarations())
