"""The decoder of server-sent events, against the standard's rules, and against itself for any split of the bytes."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidekeep.llm.sse import MAX_IGNORED_BYTES, EventTooLong, ServerSentEvent, SSEDecoder

LINE_SEPARATORS = "\u2028\u2029\u0085\u000b\u000c\u001c"

CASES = {
    "one event": (b"data: a\n\n", [ServerSentEvent("a")]),
    "no space after the colon": (b"data:a\n\n", [ServerSentEvent("a")]),
    "only one space is taken off": (b"data:  a\n\n", [ServerSentEvent(" a")]),
    "carriage returns": (b"data: a\r\rdata: b\r\r", [ServerSentEvent("a"), ServerSentEvent("b")]),
    "carriage return and line feed": (b"data: a\r\n\r\ndata: b\r\n\r\n", [ServerSentEvent("a"), ServerSentEvent("b")]),
    "mixed line ends": (b"data: a\r\ndata: b\n\rdata: c\n\n", [ServerSentEvent("a\nb"), ServerSentEvent("c")]),
    "byte order mark at the start": (b"\xef\xbb\xbfdata: a\n\n", [ServerSentEvent("a")]),
    "byte order mark later is part of a name": (b"data: a\n\xef\xbb\xbfdata: b\n\n", [ServerSentEvent("a")]),
    "several data lines": (b"data: a\ndata:\ndata: b\n\n", [ServerSentEvent("a\n\nb")]),
    "an empty data line is an empty event": (b"data\n\ndata:\n\n", [ServerSentEvent(""), ServerSentEvent("")]),
    "comments": (b": ping\n\n:\ndata: a\n: inside\n\n", [ServerSentEvent("a")]),
    "an event without data is none": (b"event: a\nid: 1\n\ndata: b\n\n", [ServerSentEvent("b", id="1")]),
    "event names": (b"event: error\ndata: a\n\ndata: b\n\n", [ServerSentEvent("a", "error"), ServerSentEvent("b")]),
    "the last id stays": (
        b"id: 7\ndata: a\n\ndata: b\n\n",
        [ServerSentEvent("a", id="7"), ServerSentEvent("b", id="7")],
    ),
    "an id with NUL is ignored": (b"id: 7\nid: 8\x009\ndata: a\n\n", [ServerSentEvent("a", id="7")]),
    "an empty id resets it": (
        b"id: 7\ndata: a\n\nid\ndata: b\n\n",
        [ServerSentEvent("a", id="7"), ServerSentEvent("b")],
    ),
    "retry in digits": (b"retry: 1500\ndata: a\n\n", [ServerSentEvent("a", retry_ms=1500)]),
    "retry in other than digits": (b"retry: 1.5\nretry: -1\ndata: a\n\n", [ServerSentEvent("a")]),
    "unknown fields": (b"foo: x\ndata: a\n bar\n\n", [ServerSentEvent("a")]),
    "invalid UTF-8 becomes U+FFFD": (b"data: a\xff\xc3\n\n", [ServerSentEvent("a\ufffd\ufffd")]),
    "separators of text are no line ends": (
        f"data: a{LINE_SEPARATORS}b\n\n".encode(),
        [ServerSentEvent(f"a{LINE_SEPARATORS}b")],
    ),
    "an event cut short by the end": (b"data: a\n\ndata: b\n", [ServerSentEvent("a")]),
}


def decode(*chunks: bytes) -> list[ServerSentEvent]:
    decoder = SSEDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)]


@pytest.mark.parametrize(("stream", "events"), CASES.values(), ids=CASES.keys())
def test_the_stream_is_read_as_the_standard_says(stream: bytes, events: list[ServerSentEvent]) -> None:
    assert decode(stream) == events


@pytest.mark.parametrize(("stream", "events"), CASES.values(), ids=CASES.keys())
def test_byte_by_byte_gives_the_same(stream: bytes, events: list[ServerSentEvent]) -> None:
    assert decode(*(bytes([byte]) for byte in stream)) == events


pieces = st.sampled_from(
    [
        b"data: ",
        b"data",
        b":",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"\xef\xbb\xbf",
        b"id: 1",
        b"event: e",
        b"retry: 5",
        b" ",
    ]
    + [character.encode() for character in "aż日🙂" + LINE_SEPARATORS]
    + [b"\xff", b"\0"]
)


@given(stream=st.lists(pieces, max_size=40).map(b"".join), cuts=st.lists(st.integers(0, 200), max_size=12))
@example(stream=b"data: a\r\n\r\ndata: b\r\n\r\n", cuts=[8, 10, 11])
@example(stream=b"\xef\xbb\xbfdata: a\n\n", cuts=[1, 2])
def test_any_split_gives_the_same_events(stream: bytes, cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(borders)]
    assert decode(*chunks) == decode(stream)


def test_the_end_gives_an_event_that_lacks_its_blank_line() -> None:
    decoder = SSEDecoder()
    assert decoder.feed(b"data: a\n\ndata: [DONE]") == [ServerSentEvent("a")]
    assert decoder.end() == ServerSentEvent("[DONE]")
    assert decoder.end() is None


def test_lines_that_are_no_field_are_kept_for_the_error_message() -> None:
    decoder = SSEDecoder()
    decoder.feed(b'data: a\n\nerror: {"code": 500}\n{"error": "x"}\n')
    assert bytes(decoder.ignored) == b'error: {"code": 500}\n{"error": "x"}\n'
    decoder.feed(b"x\n" * MAX_IGNORED_BYTES)
    assert len(decoder.ignored) == MAX_IGNORED_BYTES


@pytest.mark.parametrize(
    "piece", [b"data: aaaaaaaa", b"data: aaaaaaa\n", b": aaaaaaaa\n"], ids=["one line", "data lines", "comments"]
)
def test_an_event_that_never_ends_is_refused(piece: bytes) -> None:
    decoder = SSEDecoder(max_event_bytes=1000)
    with pytest.raises(EventTooLong, match="1000 bytes"):
        all(decoder.feed(piece) == [] for _ in range(200))


@given(length=st.integers(980, 1010), cuts=st.lists(st.integers(0, 1010), max_size=4))
def test_the_limit_does_not_depend_on_the_split(length: int, cuts: list[int]) -> None:
    stream = b"data: " + b"a" * (length - 6) + b"\n\n"
    borders = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    decoder = SSEDecoder(max_event_bytes=1000)
    try:
        events = [event for a, b in pairwise(borders) for event in decoder.feed(stream[a:b])]
    except EventTooLong:
        assert length > 1000
    else:
        assert length <= 1000
        assert len(events) == 1
