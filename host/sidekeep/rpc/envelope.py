"""Reading and writing JSON-RPC envelopes (docs/protocol.md, Envelope)."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from sidekeep.domain import plain_json
from sidekeep.errors import InvalidRequest, ParseError, SidekeepError

MessageId = str | int

# An escape sequence of JSON text; a pair of surrogates is one match, so that what is left over is lone. Compiled when it is first
# needed: that takes 1 ms, and every start would pay for it.
_ESCAPE = rb"(?s)\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)"
_LONE_SURROGATE_LENGTH = len(rb"\ud800")


class Request(NamedTuple):
    """One call. `id` is None only for `$/…` notifications."""

    id: MessageId | None
    method: str
    params: dict[str, Any]
    size: int


class Part(NamedTuple):
    """A piece of a message that came in parts; `transport.parts` joins them."""

    part: object


def decode(raw: bytes) -> Any:
    """The JSON value of `raw`. A lone surrogate, legal in what browsers send, is read as U+FFFD. Raises ParseError."""
    try:
        return plain_json.read(raw)
    except ValueError as first:
        if b"\\ud" not in raw and b"\\uD" not in raw:
            raise ParseError(f"The message is not JSON: {_where(first)}.") from first
    import orjson

    try:
        return orjson.loads(re.sub(_ESCAPE, _replace_lone_surrogate, raw))
    except orjson.JSONDecodeError as exc:
        raise ParseError(f"The message is not JSON: {_where(exc)}.") from exc


def _replace_lone_surrogate(match: re.Match[bytes]) -> bytes:
    escape = match.group()
    is_lone = len(escape) == _LONE_SURROGATE_LENGTH and escape[:3] in (rb"\ud", rb"\uD")
    return rb"\ufffd" if is_lone else escape


def _where(exc: ValueError) -> str:
    assert isinstance(exc, json.JSONDecodeError), "orjson's is one, too"
    return f"{exc.msg.partition(':')[0]} at character {exc.pos}"


def read(value: Any, size: int) -> Request | Part:
    """The request in a decoded message. Raises InvalidRequest, with `message_id` set where an id could be read."""
    if not isinstance(value, dict):
        raise BadEnvelope("A message is a JSON object.", None)
    if "part" in value and "method" not in value:
        return Part(value["part"])
    message_id = value.get("id")
    if isinstance(message_id, bool) or not isinstance(message_id, (str, int)):
        message_id = None
    if value.get("jsonrpc") != "2.0":
        raise BadEnvelope('A message has "jsonrpc":"2.0".', message_id)
    method = value.get("method")
    if not isinstance(method, str) or not method:
        raise BadEnvelope("A request names its method as a string.", message_id)
    is_notification = method.startswith("$/") and "id" not in value
    if message_id is None and not is_notification:
        raise BadEnvelope("A request has an id, a string or an integer.", None)
    params = value.get("params", {})
    if not isinstance(params, dict):
        raise BadEnvelope("Parameters are given by name, as an object.", message_id)
    return Request(message_id, method, params, size)


class BadEnvelope(InvalidRequest):
    """An invalid request whose answer still has an address."""

    def __init__(self, message: str, message_id: MessageId | None) -> None:
        super().__init__(message)
        self.message_id = message_id


def result(message_id: MessageId, value: Any) -> bytes:
    """A reply. Raises TypeError for a value that is not JSON."""
    return _dumps({"jsonrpc": "2.0", "id": message_id, "result": value})


def error(message_id: MessageId | None, exc: SidekeepError) -> bytes:
    body = {"code": exc.code, "message": exc.message, "data": {"kind": exc.kind, **exc.data}}
    return _dumps({"jsonrpc": "2.0", "id": message_id, "error": body})


def notification(method: str, params: Any) -> bytes:
    return _dumps({"jsonrpc": "2.0", "method": method, "params": params})


def _dumps(value: Any) -> bytes:
    if not plain_json.has_orjson():
        return plain_json.dumps(value)
    import orjson

    return orjson.dumps(value)
