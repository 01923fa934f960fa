"""A first message's JSON is read and written by the standard library: as orjson does, or by orjson."""

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidekeep.domain import plain_json

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"client": "panel", "version": "1", "protocol": 1}}


def test_a_hello_is_read() -> None:
    assert plain_json.loads(json.dumps(HELLO).encode()) == HELLO


@given(
    raw=json_values.map(lambda value: json.dumps(value).encode())
    | st.text('[]{}",:0123-eE.tN \t\x00\\u', max_size=12).map(str.encode)
)
@example(raw=b'{"a":1,"a":2}')
@example(raw=b"123456789012345678901234567890")
@example(raw=b"NaN")
@example(raw=b"1e999")
@example(raw=b"-0")
@example(raw=b" 1 ")
@example(raw=rb'"\ud800"')
@example(raw=rb'{"\uDC00":1}')
@example(raw=b"[" * 4000)
@example(raw=b"\xef\xbb\xbf{}")
def test_what_is_read_is_what_orjson_reads(raw: bytes) -> None:
    try:
        value = plain_json.loads(raw)
    except plain_json.Unusual:
        return
    theirs = orjson.loads(raw)
    assert (value, _kinds(value)) == (theirs, _kinds(theirs))


@pytest.mark.parametrize("raw", [b"", b"{", b"{}}", '"é"'.encode(), b'"' + b"x" * 5000 + b'"'])
def test_what_is_long_or_no_plain_json_has_orjson_to_orjson(raw: bytes) -> None:
    with pytest.raises(plain_json.Unusual):
        plain_json.loads(raw)


@given(value=st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8), st.lists))
def test_what_is_written_is_what_orjson_writes(value: Any) -> None:
    assert plain_json.dumps(value) == orjson.dumps(value)


@contextlib.contextmanager
def _at_the_start() -> Iterator[None]:
    """As if nothing had needed orjson yet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_json, "has_orjson", lambda: False)
        yield


def _outcome(call: Callable[[Any], Any], value: Any) -> Any:
    try:
        return call(value)
    except (TypeError, ValueError) as exc:
        return TypeError if isinstance(exc, TypeError) else ValueError


@given(json_values | st.text(st.characters()) | st.dates())
@example(1e16)
@example(2**70)
@example(float("nan"))
@example("\ud800")
@example('a"b\\c\n\x7f\u2028')
@example("é")
@example(json.loads("[" * 300 + "]" * 300))
def test_what_is_written_at_the_start_is_what_is_written_later(value: Any) -> None:
    with _at_the_start():
        written = _outcome(plain_json.write, value)
    assert written == _outcome(orjson.dumps, value)
    if isinstance(written, bytes):
        with _at_the_start():
            read, embedded = plain_json.read(written), plain_json.embedded(written)
        theirs = orjson.loads(written)
        assert (read, _kinds(read)) == (theirs, _kinds(theirs))
        assert orjson.dumps(embedded) == written


@given(raw=st.text('[]{}",:0123-eE.tN \t\x00\\ud8', max_size=12).map(str.encode))
@example(raw=b'"\\ud800"')
@example(raw=b'"\\ud83d\\ude00"')
def test_what_is_read_at_the_start_is_what_is_read_later(raw: bytes) -> None:
    with _at_the_start():
        assert _outcome(plain_json.read, raw) == _outcome(orjson.loads, raw)


def _kinds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _kinds(item) for key, item in value.items()}
    return [_kinds(item) for item in value] if isinstance(value, list) else type(value)
