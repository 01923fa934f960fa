"""Sizes and equality of JSON values are the browser's own."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain.json_value import equal, size_of

# Recorded from Chromium 156 (getBytesInUse of one key, less the key).
NUMBERS: list[tuple[int | float, int]] = [
    (0, 1),
    (-1, 2),
    (2**31 - 1, 10),
    (-(2**31), 11),
    (2**31, 12),
    (4294967296, 12),
    (1e11, 14),
    (123456789012, 14),
    (999999999999, 14),
    (1e12, 5),
    (1234567890123, 18),
    (123456789012.5, 14),
    (1234567890123.5, 19),
    (1e-5, 7),
    (1e-6, 8),
    (1.5e-6, 9),
    (1e-7, 4),
    (10**15, 5),
    (10**16, 5),
    (-2147483649, 13),
    (-1e12, 6),
    (0.1, 3),
    (1 / 3, 18),
    (100.5, 5),
    (1e21, 5),
    (1.7976931348623157e308, 23),
    (2**53 - 1, 21),
]


@pytest.mark.parametrize(("number", "size"), NUMBERS, ids=[repr(number) for number, _ in NUMBERS])
def test_a_number_takes_what_the_browser_writes_for_it(number: float, size: int) -> None:
    assert _size(number) == size


@given(st.lists(st.sampled_from(NUMBERS), max_size=4))
def test_numbers_count_the_same_at_every_depth(chosen: list[tuple[float, int]]) -> None:
    numbers = [number for number, _ in chosen]
    brackets_and_commas = 2 + max(0, len(chosen) - 1)
    size = sum(size for _, size in chosen) + brackets_and_commas
    assert _size(numbers) == size
    assert _size({"x": [numbers, "7e99", True, None]}) == size + len('{"x":[,"7e99",true,null]}')


def test_a_whole_number_is_the_same_size_however_it_was_written() -> None:
    assert _size(1.0) == _size(1)


def test_what_the_browser_escapes_is_counted_escaped() -> None:
    assert _size("<\u2028\u2029\x01é") == 2 + 6 + 6 + 6 + 6 + 2


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (b'{"a":1,"b":2}', b'{"b":2,"a":1.0}', True),
        (b"[1]", b"[true]", False),
        (b'{"a":[0,1]}', b'{"a":[false,true]}', False),
        (b"-0.0", b"0", True),
        (b"[1,2]", b"[2,1]", False),
    ],
)
def test_values_are_equal_as_the_browser_sees_them(left: bytes, right: bytes, same: bool) -> None:
    assert equal(left, right) is same


def _size(value: Any) -> int:
    return size_of("", orjson.dumps(value), value)
