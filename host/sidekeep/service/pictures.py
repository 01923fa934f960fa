"""What a panel is shown of a picture: its size and a thumbnail. The original is never touched."""

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

THUMBNAIL_EDGE = 480
THUMBNAIL_QUALITY = 80
# Larger pictures are not decoded: 100 million pixels are 300 MB of memory. They are kept and sent, without a thumbnail.
MAX_DECODED_PIXELS = 100_000_000
# Below this a small picture is its own thumbnail.
SMALL_BYTES = 65_536
# What browsers and cameras make. Pillow knows forty more, and a page chooses what its pictures are: for PostScript it would
# start Ghostscript, which runs the picture as a program and writes it to the disk, in a private window too.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "AVIF", "TIFF", "ICO")


@dataclass(frozen=True, slots=True)
class Examined:
    """Width and height in pixels, 0 where the data is no picture we can read; a JPEG thumbnail, None where none is needed."""

    width: int
    height: int
    thumbnail: bytes | None


def examine(data: bytes) -> Examined:
    """Measure a picture and make its thumbnail: at most 480 px on the long edge, on white, JPEG."""
    import warnings

    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of bombs, and of tags that are damaged
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                width, height = image.size
                if width * height > MAX_DECODED_PIXELS:
                    return Examined(width, height, None)
                if max(width, height) <= THUMBNAIL_EDGE and len(data) <= SMALL_BYTES:
                    return Examined(width, height, None)
                return Examined(width, height, _thumbnail(image))
    except (
        Exception
    ):  # each decoder has errors of its own (AVIF's is RuntimeError); a bad picture must not refuse a message
        return Examined(0, 0, None)  # what cannot be decoded is kept as it is


def _thumbnail(image: "Image.Image") -> bytes:
    from PIL import Image

    image.draft("RGB", (THUMBNAIL_EDGE, THUMBNAIL_EDGE))  # a JPEG decodes at a fraction of its size
    small = image.convert("RGBA" if image.has_transparency_data else "RGB")
    small.thumbnail((THUMBNAIL_EDGE, THUMBNAIL_EDGE))
    matte = Image.new("RGB", small.size, "white")
    matte.paste(small, mask=small.getchannel("A") if small.mode == "RGBA" else None)
    out = io.BytesIO()
    matte.save(out, "JPEG", quality=THUMBNAIL_QUALITY)
    return out.getvalue()
