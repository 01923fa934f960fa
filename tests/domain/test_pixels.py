"""Pictures are cut out of a message and put back byte for byte."""

import base64
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidekeep.domain import pixels

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
heads = st.sampled_from(
    [
        "data:image/png;base64,",
        'data:image/x-é"\\;base64,',
        "data:image/svg+xml;charset=utf-8;base64,",
        "data:text/plain,",
    ]
)


@st.composite
def urls(draw: st.DrawFn) -> str:
    """Data URLs: canonical, with padding lost, with line breaks, with garbage behind; and other texts."""
    encoded = base64.b64encode(draw(st.binary(max_size=20))).decode()
    damage = draw(st.sampled_from(["", "", "", "strip", "break", "garbage", "last bits"]))
    if damage == "strip":
        encoded = encoded.rstrip("=")
    elif damage == "break":
        encoded = encoded[:4] + "\n" + encoded[4:]
    elif damage == "garbage":
        encoded += "é"
    elif damage == "last bits":
        encoded = encoded.replace("A=", "B=").replace("Q=", "R=")
    return draw(heads) + encoded


part = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": text}),
    st.fixed_dictionaries(
        {"image_url": st.fixed_dictionaries({"url": urls() | text}, optional={"detail": text})},
        optional={"type": st.just("image_url"), "x": text},
    ),
    st.dictionaries(text, text | st.integers(-(2**53), 2**53) | st.none(), max_size=3),
    text,
    st.none(),
)
messages = st.fixed_dictionaries(
    {"role": text},
    optional={
        "content": st.lists(part, max_size=5) | text | st.none(),
        "original": st.lists(part, max_size=3) | text,
        "extra": st.lists(text),
    },
)


def _rejoined(message: dict[str, Any]) -> bytes:
    lifted = pixels.lift(message)
    by_hash = {picture.sha256: picture.data for picture in lifted.pictures}
    encoded = [base64.b64encode(by_hash[cut.sha256]) for cut in lifted.cuts]
    return pixels.join(lifted.body, lifted.cuts, encoded)


@given(message=messages)
@example(message={"role": "u", "content": [{"image_url": {"url": "data:image/png;base64,QUJD"}}] * 12})
def test_what_is_cut_out_is_put_back_verbatim(message: dict[str, Any]) -> None:
    before = orjson.dumps(message)
    assert _rejoined(message) == before
    assert orjson.dumps(message) == before, "the message itself is left alone"


@given(data=st.binary(min_size=1, max_size=50))
def test_a_canonical_picture_leaves_the_body(data: bytes) -> None:
    url = "data:image/png;base64," + base64.b64encode(data).decode()
    lifted = pixels.lift({"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]})
    assert orjson.loads(lifted.body)["content"][0]["image_url"]["url"] == ""
    assert [picture.data for picture in lifted.pictures] == [data]
    assert [cut.sha256 for cut in lifted.cuts] == [lifted.pictures[0].sha256]


@pytest.mark.parametrize(
    "url",
    [
        "data:image/png;base64,QUJ",
        "data:image/png;base64,QUI",
        "data:image/png;base64,QUJ=",
        "data:image/png;base64,QU\nJD",
        "data:image/png;base64,QUJD é",
        "data:image/png;base64,",
        "data:image/png,QUJD",
        "data:text/plain;base64,QUJD",
        "https://example.org/a.png",
        "",
    ],
)
def test_what_could_not_be_put_back_as_it_was_stays(url: str) -> None:
    assert pixels.split_data_url(url) is None


def test_one_picture_twice_has_two_cuts_of_one_hash() -> None:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}
    lifted = pixels.lift({"role": "user", "content": [part, part]})
    first, second = lifted.cuts
    assert first.sha256 == second.sha256
    assert first.position < second.position


@pytest.mark.parametrize(
    ("magic", "mime"),
    [
        (b"\x89PNG", "png"),
        (b"\xff\xd8\xff", "jpeg"),
        (b"GIF89a", "gif"),
        (b"RIFF", "webp"),
        (b"<svg", "svg+xml"),
        (b"?", "png"),
    ],
)
def test_a_pictures_type_is_told_from_its_first_bytes(magic: bytes, mime: str) -> None:
    assert pixels.data_url(magic) == b"data:image/%s;base64,%s" % (mime.encode(), base64.b64encode(magic))


@given(message=messages)
def test_a_message_that_is_named_and_lifted_again_is_the_same(message: dict[str, Any]) -> None:
    lifted = pixels.lift(message)
    named = pixels.named(lifted.body, lifted.cuts)
    again = pixels.lift_named(named, lifted.cuts)
    assert (again.body, again.cuts) == (lifted.body, lifted.cuts)
