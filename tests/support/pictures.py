"""Pictures made for tests."""

import base64
import io
import random

from PIL import Image


def picture(width: int, height: int, *, kind: str = "PNG", mode: str = "RGB", noisy: bool = False) -> bytes:
    """A picture file; `noisy` makes it large and its pixels distinguishable."""
    size = width * height * len(Image.new(mode, (1, 1)).tobytes())
    if noisy:
        image = Image.frombytes(mode, (width, height), random.Random(1).randbytes(size))
    else:
        image = Image.new(mode, (width, height), "teal" if mode in ("RGB", "RGBA") else 1)
    out = io.BytesIO()
    image.save(out, kind)
    return out.getvalue()


def url_of(data: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"
