"""Pictures: measured, shown small, kept whole."""

import base64
import io
from typing import Any

import pytest
from PIL import Image
from tests.support.pictures import picture, url_of
from tests.support.stores import OWN, plain

from sidekeep.service import pictures
from sidekeep.service.pictures import FORMATS, SMALL_BYTES, THUMBNAIL_EDGE, Examined, examine
from sidekeep.service.services import Services

JUNK = b"this is no picture, " * 5000


def _thumbnail(data: bytes) -> Image.Image:
    found = examine(data).thumbnail
    assert found is not None
    return Image.open(io.BytesIO(found))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_a_large_picture_gets_a_jpeg_thumbnail(kind: str) -> None:
    found = examine(picture(1600, 800, kind=kind))
    assert (found.width, found.height) == (1600, 800)
    with _thumbnail(picture(1600, 800, kind=kind)) as small:
        assert small.format == "JPEG"
        assert max(small.size) == THUMBNAIL_EDGE
        assert small.size[0] == 2 * small.size[1]


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "I;16", "CMYK"])
def test_a_picture_of_any_mode_gets_one(mode: str) -> None:
    image = Image.new("CMYK" if mode == "CMYK" else mode, (900, 600))
    out = io.BytesIO()
    image.save(out, "TIFF" if mode == "CMYK" else "PNG")
    with _thumbnail(out.getvalue()) as small:
        assert small.mode == "RGB"


def test_what_is_transparent_is_shown_on_white() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (900, 900), (255, 0, 0, 0)).save(out, "PNG")
    with _thumbnail(out.getvalue()) as small:
        assert small.getpixel((5, 5)) == (255, 255, 255)


def test_a_small_picture_is_its_own_thumbnail() -> None:
    found = examine(picture(64, 48))
    assert (found.width, found.height, found.thumbnail) == (64, 48, None)


def test_a_picture_of_few_pixels_and_many_bytes_gets_a_thumbnail() -> None:
    data = picture(400, 400, noisy=True)
    assert len(data) > SMALL_BYTES
    assert examine(data).thumbnail is not None


@pytest.mark.parametrize(
    "data", [b"", b"x", JUNK, b"\x89PNG\r\n\x1a\n", picture(900, 900)[:200]], ids=["empty", "x", "junk", "head", "cut"]
)
def test_what_cannot_be_decoded_has_no_thumbnail_and_is_no_error(data: bytes) -> None:
    assert examine(data).thumbnail is None


@pytest.mark.parametrize(("edge", "measured"), [(11_000, 11_000), (14_000, 0)], ids=["huge", "past Pillow's own limit"])
def test_a_huge_picture_is_not_decoded(edge: int, measured: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_thumbnail", lambda image: pytest.fail("a bomb was decoded"))
    out = io.BytesIO()
    Image.new("1", (edge, edge)).save(out, "PNG")
    assert examine(out.getvalue()) == pictures.Examined(measured, measured, None)


def _image_part(services: Services, data: bytes, mode: Any) -> dict[str, Any]:
    content = [
        {"type": "text", "text": "é🦊"},
        {"type": "image_url", "image_url": {"detail": "low", "url": url_of(data)}},
    ]
    services.conversation.append(OWN, {"role": "user", "content": content})
    (message,) = plain(services.conversation.get(OWN, mode)[0])
    assert message["content"][0] == content[0]
    shown: dict[str, Any] = message["content"][1]["image_url"]
    assert shown["detail"] == "low"
    assert shown["bytes"] == len(data)
    return shown


def test_full_gives_the_original(services: Services) -> None:
    data = picture(1000, 500)
    assert _image_part(services, data, "full")["url"] == url_of(data)


def test_none_gives_no_url(services: Services) -> None:
    shown = _image_part(services, picture(1000, 500), "none")
    assert "url" not in shown
    assert (shown["width"], shown["height"]) == (1000, 500)


def test_thumbnail_gives_a_small_jpeg(services: Services) -> None:
    shown = _image_part(services, picture(1000, 500), "thumbnail")
    head, _, text = shown["url"].partition(",")
    assert head == "data:image/jpeg;base64"
    with Image.open(io.BytesIO(base64.b64decode(text))) as small:
        assert small.size == (480, 240)


def test_a_small_picture_is_shown_as_it_is(services: Services) -> None:
    data = picture(40, 30)
    assert _image_part(services, data, "thumbnail")["url"] == url_of(data)


def test_a_large_thing_that_is_no_picture_is_not_shown_and_still_kept(services: Services) -> None:
    shown = _image_part(services, JUNK, "thumbnail")
    assert "url" not in shown
    assert services.conversation.image(OWN, shown["ref"]).bytes == len(JUNK)


def test_a_program_that_calls_itself_a_picture_is_not_run() -> None:
    """Pillow gives PostScript to Ghostscript, which runs it and writes it to the disk."""
    assert examine(picture(40, 30, kind="EPS")) == Examined(0, 0, None)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_damaged_picture_is_kept_and_not_shown(kind: str) -> None:
    whole = picture(64, 64, kind=kind, noisy=True)
    for start in range(0, min(len(whole), 400), 3):
        damaged = whole[:start] + b"\xff\x00\x7f" + whole[start + 3 :]
        found = examine(damaged)  # raises nothing
        assert found.width >= 0
