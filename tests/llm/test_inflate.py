"""Compressed bodies come out in pieces of bounded size."""

import gzip
import zlib

import pytest

from sidekeep.llm.inflate import Inflater

TEXT = b"data: \n" * 100_000


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("GZip ", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
    ],
)
def test_the_body_is_the_same_however_it_was_cut(encoding: str, body: bytes) -> None:
    inflater = Inflater(encoding)
    pieces = [piece for start in range(0, len(body), 777) for piece in inflater.feed(body[start : start + 777])]
    assert b"".join(pieces) == TEXT


def test_a_bomb_comes_out_in_small_pieces() -> None:
    sizes = {len(piece) for piece in Inflater("gzip").feed(gzip.compress(bytes(20_000_000)))}
    assert max(sizes) <= 65_536


@pytest.mark.parametrize(("encoding", "body"), [("br", b"x"), ("zstd", b"x"), ("gzip", b"not gzip")])
def test_what_cannot_be_undone_is_a_value_error(encoding: str, body: bytes) -> None:
    with pytest.raises(ValueError, match="compress"):
        list(Inflater(encoding).feed(body))
