"""One document a line: any split of the bytes gives the same lines."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.llm.lines import LineDecoder
from sidekeep.llm.sse import EventTooLong

CASES = {
    "lines": (b'{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']),
    "carriage returns": (b'{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']),
    "empty lines": (b'\n\n{"a":1}\n \n', ['{"a":1}']),
    "no last line feed": (b'{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']),
    "separators of text are no line ends": ('{"a":"\u2028\u0085"}\n'.encode(), ['{"a":"\u2028\u0085"}']),
    "invalid UTF-8": (b'{"a":"\xff"}\n', ['{"a":"\ufffd"}']),
    "nothing": (b"", []),
}


@pytest.mark.parametrize(("stream", "lines"), CASES.values(), ids=CASES.keys())
@given(cuts=st.lists(st.integers(0, 30), max_size=8))
def test_any_split_gives_the_same_lines(stream: bytes, lines: list[str], cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    decoder = LineDecoder()
    found = [line for start, end in pairwise(borders) for line in decoder.feed(stream[start:end])]
    assert [*found, *decoder.end()] == lines


@pytest.mark.parametrize("piece", [b"aaaaaaaa", b"a" * 5000], ids=["little by little", "at once"])
def test_a_line_that_never_ends_is_refused(piece: bytes) -> None:
    decoder = LineDecoder(max_line_bytes=1000)
    with pytest.raises(EventTooLong, match="1000 bytes"):
        all(decoder.feed(piece) == [] for _ in range(200))


def test_many_lines_are_no_long_line() -> None:
    assert len(LineDecoder(max_line_bytes=10).feed(b"aaaaa\n" * 100)) == 100
