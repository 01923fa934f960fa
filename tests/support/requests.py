"""Requests for the tests of what writes them down."""

from typing import Any

import orjson

from sidekeep.request.build import Request
from sidekeep.request.dialect.table import WRITERS
from sidekeep.request.view import Entry, Image, Part, Text, ToolCall

PNG = Image(sha256=b"png", width=8, height=8, size=6)
DATA_URLS = {PNG: b"data:image/png;base64,iVBORw=="}


def says(role: str, *parts: Part | str, **fields: Any) -> Entry:
    """An entry of these parts."""
    texts = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Entry("m", role, texts, **fields)


def asks(*parts: Part | str) -> Entry:
    return says("user", *parts)


def answers(*parts: Part | str) -> Entry:
    return says("assistant", *parts)


def calls(identifier: str, name: str, arguments: str = "{}") -> Entry:
    """An answer that calls a tool without a word."""
    return says("assistant", tool_calls=(ToolCall(identifier, name, arguments),))


def returns(identifier: str, *parts: Part | str) -> Entry:
    """A tool's result."""
    return says("tool", *parts, tool_call_id=identifier)


def request(*entries: Entry, model: str = "tiny", system: str = "", **fields: Any) -> Request:
    return Request(model=model, system=system, entries=entries, **fields)


def body(kind: str, *entries: Entry, **fields: Any) -> dict[str, Any]:
    """The body as the server reads it."""
    return read(WRITERS[kind](request(*entries, **fields), DATA_URLS))


def read(written: bytes) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(written)
    return found
