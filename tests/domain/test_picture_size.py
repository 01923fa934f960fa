"""Width and height from the header of a picture's file."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.pictures import picture, url_of

from sidekeep.domain.picture_size import data_url_size, picture_size


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "AVIF"])
@pytest.mark.parametrize("size", [(1, 1), (640, 3), (37, 1200)])
def test_the_header_tells_the_size(kind: str, size: tuple[int, int]) -> None:
    assert picture_size(picture(*size, kind=kind)) == size


@pytest.mark.parametrize("lossless", [True, False])
@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_every_kind_of_webp_is_read(*, mode: str, lossless: bool) -> None:
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new(mode, (300, 200), "teal").save(out, "WEBP", lossless=lossless)
    assert picture_size(out.getvalue()) == (300, 200)


def test_a_jpeg_with_camera_data_before_its_frame_is_read() -> None:
    data = picture(640, 480, kind="JPEG")
    exif = b"\xff\xe1\xff\xff" + bytes(65_533)
    assert picture_size(data[:2] + exif + exif + b"\xff\xff" + data[2:]) == (640, 480)


def test_the_beginning_of_the_file_is_enough() -> None:
    data = picture(800, 600, kind="PNG", noisy=True)
    assert picture_size(data[:64]) == (800, 600)
    assert data_url_size(url_of(data)) == (800, 600)


@pytest.mark.parametrize(
    "url",
    ["", "https://e.org/a.png", "data:image/png,abc", "data:image/png;base64,", "data:image/png;base64,\u4e2d" * 3],
)
def test_what_is_no_picture_has_no_size(url: str) -> None:
    assert data_url_size(url) == (0, 0)


@given(cut=st.integers(0, 700), kind=st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP", "AVIF"]))
def test_a_cut_file_gives_its_size_or_none(cut: int, kind: str) -> None:
    data = picture(30, 20, kind=kind)[:cut]
    assert picture_size(data) in ((0, 0), (30, 20))
    encoded = base64.b64encode(data).decode()
    assert data_url_size(f"data:image/x;base64,{encoded}") in ((0, 0), (30, 20))


@given(head=st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"BM", b"RIFF0000WEBP", b"0000ftyp"]), rest=st.binary())
def test_no_bytes_are_too_odd(head: bytes, rest: bytes) -> None:
    width, height = picture_size(head + rest)
    assert (width > 0) == (height > 0)
