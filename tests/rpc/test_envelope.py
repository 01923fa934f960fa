"""Envelopes: read strictly, with one leniency: a lone surrogate becomes U+FFFD, as in the browser's own storage."""

import json
import re
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidekeep.errors import InvalidParams, ParseError
from sidekeep.rpc import envelope
from sidekeep.rpc.envelope import BadEnvelope, Part, Request

any_text = st.text(
    st.characters() | st.sampled_from(["\ud83d", "\ude00", "\udbff", "\udfff", "\\", '"', "u", "d", "8", "0", "\n"]),
    max_size=12,
)


def _repaired(text: str) -> str:
    """What a browser's storage makes of a text: pairs joined, lone surrogates replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@given(text=any_text)
@example(text="\\ud800")
@example(text="\\\ud800")
@example(text="\\\\\ud800")
@example(text="\ud83d\ude00\ude00")
@example(text="\ud83d\ud83d\ude00")
def test_lone_surrogates_are_replaced_and_nothing_else_changes(text: str) -> None:
    raw = json.dumps(
        {"text": text}
    ).encode()  # escapes every character outside ASCII, as JSON.stringify does surrogates
    expected = re.sub("[\ud800-\udfff]", "\ufffd", _joined(text))
    assert envelope.decode(raw) == {"text": expected}


def _joined(text: str) -> str:
    """Surrogate pairs as the characters they stand for."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize("raw", [b'"\\uD800"', b'"\\udFFF"', b'"\\uDbFf"'])
def test_the_case_of_the_digits_does_not_matter(raw: bytes) -> None:
    assert envelope.decode(raw) == "\ufffd"


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b'"\xed\xa0\x80"', b'{"a":1}}', b'{"\\ud800":', b"NaN", b"\xef\xbb\xbf{}"]
)
def test_what_is_not_json_is_a_parse_error_without_its_text(raw: bytes) -> None:
    with pytest.raises(ParseError) as raised:
        envelope.decode(raw)
    assert "not JSON" in raised.value.message


def test_a_parse_error_does_not_quote_the_message() -> None:
    with pytest.raises(ParseError) as raised:
        envelope.decode(b'{"apiKey": "sk-secret" oops}')
    assert "sk-secret" not in raised.value.message


def _request(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "ping", **members}


@pytest.mark.parametrize("message_id", [0, 1, -1, 2**63 - 1, "", "a", "é🦊"])
def test_an_id_is_a_string_or_an_integer(message_id: Any) -> None:
    assert envelope.read(_request(id=message_id), 10) == Request(message_id, "ping", {}, 10)


@pytest.mark.parametrize("message_id", [None, True, 1.5, [], {}])
def test_any_other_id_is_refused_with_id_null(message_id: Any) -> None:
    with pytest.raises(BadEnvelope) as refused:
        envelope.read(_request(id=message_id), 10)
    assert refused.value.message_id is None


BAD: dict[str, tuple[Any, Any]] = {
    "a list": ([_request()], None),
    "a string": ("ping", None),
    "null": (None, None),
    "no version": ({"id": 7, "method": "ping"}, 7),
    "another version": (_request(id=7, jsonrpc="1.0"), 7),
    "no method": ({"jsonrpc": "2.0", "id": "x"}, "x"),
    "an empty method": (_request(id=7, method=""), 7),
    "a method that is a number": (_request(id=7, method=1), 7),
    "params by position": (_request(id=7, params=[1]), 7),
    "params null": (_request(id=7, params=None), 7),
    "a notification that is none of ours": ({"jsonrpc": "2.0", "method": "ping"}, None),
    "a control message with id null": ({"jsonrpc": "2.0", "id": None, "method": "$/cancelRequest"}, None),
}


@pytest.mark.parametrize(("value", "message_id"), BAD.values(), ids=BAD.keys())
def test_a_bad_envelope_is_refused_and_addressed_where_it_can_be(value: Any, message_id: Any) -> None:
    with pytest.raises(BadEnvelope) as refused:
        envelope.read(value, 10)
    assert refused.value.message_id == message_id
    assert refused.value.kind == "invalid_request"


def test_a_control_message_may_come_without_an_id() -> None:
    read = envelope.read({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}, 10)
    assert read == Request(None, "$/cancelRequest", {"id": 1}, 10)


def test_a_part_is_a_part() -> None:
    assert envelope.read({"jsonrpc": "2.0", "part": {"seq": 0}}, 10) == Part({"seq": 0})


def test_errors_carry_their_kind_and_data() -> None:
    reply = orjson.loads(envelope.error("a", InvalidParams.at("x.y", "is odd")))
    assert reply == {
        "jsonrpc": "2.0",
        "id": "a",
        "error": {
            "code": -32602,
            "message": "x.y: is odd",
            "data": {"kind": "invalid_params", "errors": [{"loc": "x.y", "msg": "is odd"}]},
        },
    }
