"""Parts: what is cut up comes together again, and what cannot be is one error."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.transport import framing, parts
from sidekeep.transport.parts import MAX_STREAMS, PartAssembler, PartRefused

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "parts.json").read_text("utf-8"))
texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\\"\n\x01😀漢é👩‍👧'), max_size=60)


def _part(stream: str, seq: int, text: str, *, last: bool = False) -> dict[str, Any]:
    return {"stream": stream, "seq": seq, "last": last, "text": text}


def _fed(assembler: PartAssembler, series: list[Any]) -> tuple[list[str], int]:
    """The messages that became whole, and the number of errors."""
    whole, errors = [], 0
    for part in series:
        try:
            message = assembler.feed(part)
        except PartRefused:
            errors += 1
        else:
            whole += [message.decode()] if message is not None else []
    return whole, errors


@given(value=st.dictionaries(texts, texts, max_size=4), size=st.integers(4, 50))
def test_a_message_that_is_split_is_joined_again(value: dict[str, str], size: int) -> None:
    message = orjson.dumps(value)
    assembler = PartAssembler()
    envelopes = [orjson.loads(envelope) for envelope in parts.split(message, size)]
    joined = [assembler.feed(envelope["part"]) for envelope in envelopes]
    assert joined[:-1] == [None] * (len(joined) - 1)
    assert joined[-1] is not None
    assert orjson.loads(joined[-1]) == value


@pytest.mark.parametrize("few", ["🎉", "é", "日本", "\u0100\uffff", 'Ω"\\', "👩‍👧"])
def test_a_few_characters_beyond_ascii_leave_as_escapes_so_that_the_browser_keeps_narrow_text(few: str) -> None:
    value = {"text": few + "x" * 600_000 + few, few: ["y" * 600_000 + few]}
    texts = [orjson.loads(envelope)["part"]["text"] for envelope in parts.split(orjson.dumps(value), 131_072)]
    assert "".join(texts).isascii()
    assert orjson.loads("".join(texts)) == value


def test_a_chats_text_leaves_as_it_is() -> None:
    message = orjson.dumps({"text": ("é" + "x" * 100) * 5_000})
    texts = [orjson.loads(envelope)["part"]["text"] for envelope in parts.split(message, 131_072)]
    assert "".join(texts).encode() == message


def test_text_in_another_script_is_not_made_longer() -> None:
    message = orjson.dumps("漢字" * 10_000)
    texts = [orjson.loads(envelope)["part"]["text"] for envelope in parts.split(message, 4000)]
    assert len("".join(texts).encode()) < 1.05 * len(message)


@given(value=texts, size=st.integers(4, 50))
def test_no_part_splits_a_code_point_and_none_is_empty(value: str, size: int) -> None:
    for envelope in parts.split(orjson.dumps(value), size):
        text = orjson.loads(envelope)["part"]["text"]
        assert text
        assert len(text) <= size + 10 * sum(character >= "\x80" for character in value)


def test_the_largest_part_fits_into_a_frame_whatever_it_escapes() -> None:
    for text in ("\\" * 2_000_000, ("é" + "\\" * 7) * 250_000, ("漢" + "\\" * 7) * 250_000, "漢" * 700_000):
        assert all(framing.encode(part) for part in parts.split(orjson.dumps(text), 262_000))


def test_streams_have_names_of_their_own() -> None:
    names = {orjson.loads(next(parts.split(b'"x"', 4)))["part"]["stream"] for _ in range(20)}
    assert len(names) == 20


@given(data=st.data(), values=st.lists(texts, min_size=2, max_size=MAX_STREAMS))
def test_streams_may_interleave(data: st.DataObject, values: list[str]) -> None:
    messages = [orjson.dumps(value) for value in values]
    waiting = [[orjson.loads(envelope)["part"] for envelope in parts.split(message, 5)] for message in messages]
    assembler = PartAssembler()
    joined = []
    while any(waiting):
        stream = data.draw(st.sampled_from([stream for stream in waiting if stream]))
        whole = assembler.feed(stream.pop(0))
        joined += [whole] if whole is not None else []
    assert sorted(map(orjson.loads, joined)) == sorted(values)


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["id"])
def test_the_shared_vectors_are_joined(case: dict[str, Any]) -> None:
    last = len(case["texts"]) - 1
    series = [_part("v", seq, text, last=seq == last) for seq, text in enumerate(case["texts"])]
    assert _fed(PartAssembler(), series) == ([case["message"]], 0)


@pytest.mark.parametrize("case", VECTORS["refused"], ids=lambda case: case["id"])
def test_the_shared_vectors_are_refused(case: dict[str, Any]) -> None:
    assert _fed(PartAssembler(), case["parts"]) == (case["whole"], case["errors"])


def test_a_stream_over_the_limit_is_one_error_and_swallowed() -> None:
    assembler = PartAssembler(max_stream_bytes=10)
    series = [_part("a", 0, "12345"), _part("a", 1, "67890"), _part("a", 2, "x"), _part("a", 3, "y", last=True)]
    assert _fed(assembler, series) == ([], 1)
    assert _fed(assembler, [_part("a", 0, "1234567890", last=True)]) == (["1234567890"], 0)


def test_the_limit_counts_bytes() -> None:
    assert _fed(PartAssembler(max_stream_bytes=10), [_part("a", 0, "éééééé", last=True)]) == ([], 1)


def test_an_error_names_its_stream() -> None:
    with pytest.raises(PartRefused) as refused:
        PartAssembler().feed(_part("mine", 3, "x"))
    assert refused.value.data["stream"] == "mine"
    assert refused.value.kind == "invalid_request"


def test_a_dropped_stream_makes_room() -> None:
    assembler = PartAssembler()
    assert _fed(assembler, [_part(f"{number}", 0, "[") for number in range(MAX_STREAMS)]) == ([], 0)
    assembler.drop("0")
    assembler.drop("nobody")
    assert _fed(assembler, [_part("new", 0, "[]", last=True)]) == (["[]"], 0)


@pytest.mark.parametrize(
    "part",
    [
        None,
        [],
        {},
        {"stream": 1, "seq": 0, "last": True, "text": ""},
        {"stream": "a", "seq": "0", "last": True, "text": ""},
        {"stream": "a", "seq": True, "last": True, "text": ""},
        {"stream": "a", "seq": 0, "last": 1, "text": ""},
        {"stream": "a", "seq": 0, "last": True, "text": None},
    ],
)
def test_what_is_no_part_is_refused(part: Any) -> None:
    assert _fed(PartAssembler(), [part]) == ([], 1)


def test_a_stream_with_a_bad_part_is_one_error_and_swallowed() -> None:
    bad = {"stream": "a", "seq": 1, "last": False}
    series = [_part("a", 0, "["), bad, _part("a", 2, "x"), _part("a", 3, "]", last=True)]
    assert _fed(PartAssembler(), series) == ([], 1)
