"""Foreign JSON as a stream: whatever pieces it comes in, and whatever surrogates are in it."""

import io
import json
from typing import Any, BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.errors import Unreadable
from sidekeep.transfer import json_text

# Texts with halves of surrogate pairs, and with backslashes that only look like the beginning of one.
texts = st.text(st.sampled_from('a\\u\ud83d\ude00\ud83dd8"\n\0é😀') | st.characters(), max_size=30)


class _Pieces(io.RawIOBase):
    """A stream that gives as much at a time as it is told."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data = data
        self._sizes = sizes

    def read(self, size: int = -1) -> bytes:
        length = self._sizes.pop() if self._sizes else len(self._data)
        piece, self._data = self._data[:length], self._data[length:]
        return piece


@given(texts, st.lists(st.integers(1, 9), max_size=60))
def test_a_lone_surrogate_is_ufffd_in_whatever_pieces_the_text_comes(text: str, sizes: list[int]) -> None:
    raw = cast(BinaryIO, _Pieces(json.dumps([text]).encode(), sizes))
    lone = "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in json.loads(json.dumps(text)))
    assert list(json_text.values(raw, "item")) == [lone]


VALUES: dict[str, tuple[Any, Any]] = {
    "an apiKey": ({"apiKey": "sk-1", "name": "n"}, {"name": "n"}),
    "a token of somebody": ({"kimiMoonShotRefreshToken": "t", "access_token": "t"}, {}),
    "a password deep inside": ([{"a": {"Password": "p", "b": 1}}], [{"a": {"b": 1}}]),
    "a key that is empty": ({"apiKey": ""}, {"apiKey": ""}),
    "counts of tokens": (
        {"maxTokens": 5, "tokenCount": 7, "tokens": "many"},
        {"maxTokens": 5, "tokenCount": 7, "tokens": "many"},
    ),
    "U+0000": (["a\0b", {"\0": "\0"}], ["ab", {"": ""}]),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_is_kept_holds_no_key_and_no_zero(name: str) -> None:
    given_value, expected = VALUES[name]
    assert json_text.cleaned(given_value) == expected


@pytest.mark.parametrize("text", ["1.5", "-0.25", "1e3", "12345678901234567890123456789", "7"])
def test_a_number_is_what_json_says(text: str) -> None:
    (value,) = json_text.values(io.BytesIO(f"[{text}]".encode()), "item")
    cleaned = json_text.cleaned(value)
    expected = json.loads(text)
    if isinstance(expected, int) and expected > 2**64:
        expected = float(expected)
    assert (cleaned, type(cleaned)) == (expected, type(expected))


def test_64_levels_are_kept_and_65_refused() -> None:
    value: Any = 1
    for _ in range(64):
        value = {"a": value}
    json_text.cleaned(value)
    with pytest.raises(Unreadable, match="64 levels"):
        json_text.cleaned([value])


@pytest.mark.parametrize("before", [0, 1, 32_000, 65_000, 65_535])
@pytest.mark.parametrize("digits", [4_301, 20_000, 32_767, 60_000, 99_000, 300_000])
def test_a_number_of_any_length_is_read_or_refused_and_kills_nobody(before: int, digits: int) -> None:
    text = b" " * before + b"[" + b"7" * digits + b"]"
    try:
        (value,) = json_text.values(io.BytesIO(text), "item")
    except Unreadable:
        assert digits >= 32_767
    else:
        assert json_text.cleaned(value) == float("inf")
