"""Frames: any split of the stream gives the same ones."""

import itertools
import json
import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.transport import framing
from sidekeep.transport.framing import MAX_INCOMING_BYTES, MAX_OUTGOING_BYTES, FrameParser, FrameTooLong

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "frames.json").read_text("utf-8"))
payloads = st.lists(st.binary(min_size=1, max_size=40), max_size=8)


def _fed(stream: bytes, cuts: list[int]) -> list[bytes]:
    """The frames of a stream that arrives in pieces."""
    parser = FrameParser()
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    frames = [frame for start, end in itertools.pairwise(edges) for frame in parser.feed(stream[start:end])]
    assert parser.pending == 0
    return frames


@given(sent=payloads, cuts=st.lists(st.integers(0, 10_000), max_size=12))
def test_any_split_of_the_stream_gives_the_same_frames(sent: list[bytes], cuts: list[int]) -> None:
    assert _fed(b"".join(map(framing.encode, sent)), cuts) == sent


@given(sent=payloads)
def test_byte_by_byte_gives_the_same_frames(sent: list[bytes]) -> None:
    stream = b"".join(map(framing.encode, sent))
    assert _fed(stream, list(range(len(stream)))) == sent


@pytest.mark.skipif(sys.byteorder != "little", reason="the vectors are little-endian, the wire is native")
def test_the_shared_vectors_are_read_and_written() -> None:
    sent = [payload.encode() for payload in VECTORS["payloads"]]
    assert _fed(bytes.fromhex(VECTORS["stream"]), [3, 5, 44]) == sent
    assert b"".join(map(framing.encode, sent)).hex() == VECTORS["stream"]


def test_an_empty_frame_carries_no_message() -> None:
    assert list(FrameParser().feed(struct.pack("=I", 0) * 3 + framing.encode(b"x"))) == [b"x"]


def test_what_is_not_whole_yet_is_counted() -> None:
    parser = FrameParser()
    assert list(parser.feed(framing.encode(b"abc")[:-1])) == []
    assert parser.pending == 6
    assert list(parser.feed(b"c")) == [b"abc"]
    assert parser.pending == 0


def test_the_largest_frame_that_browsers_send_is_taken() -> None:
    parser = FrameParser()
    assert list(parser.feed(struct.pack("=I", MAX_INCOMING_BYTES) + b"x")) == []
    (frame,) = parser.feed(b"x" * (MAX_INCOMING_BYTES - 1))
    assert len(frame) == MAX_INCOMING_BYTES


def test_one_byte_more_cannot_be_skipped() -> None:
    with pytest.raises(FrameTooLong) as raised:
        list(FrameParser().feed(struct.pack("=I", MAX_INCOMING_BYTES + 1)))
    assert raised.value.length == MAX_INCOMING_BYTES + 1


@given(sent=payloads, cut=st.integers(0, 500))
def test_frames_before_an_impossible_length_are_not_lost_wherever_the_stream_is_cut(
    sent: list[bytes], cut: int
) -> None:
    stream = b"".join(map(framing.encode, sent)) + b"Hello, I am a print statement"
    parser = FrameParser()
    frames = (frame for piece in (stream[:cut], stream[cut:]) for frame in parser.feed(piece))
    assert list(itertools.islice(frames, len(sent))) == sent
    with pytest.raises(FrameTooLong):
        next(frames)


def test_a_length_that_spells_text_is_read_as_text() -> None:
    with pytest.raises(FrameTooLong, match="'Hell'") as raised:
        list(FrameParser().feed(b"Hello"))
    assert raised.value.text == "Hell"


def test_a_length_that_spells_nothing_is_a_number() -> None:
    assert FrameTooLong(0xFFFFFFFF).text == ""


def test_nothing_is_sent_that_would_close_the_port() -> None:
    assert len(framing.encode(b"x" * MAX_OUTGOING_BYTES)) == MAX_OUTGOING_BYTES + 4
    with pytest.raises(ValueError, match="close the port"):
        framing.encode(b"x" * (MAX_OUTGOING_BYTES + 1))
