"""PDF files for tests, made of what the format asks for and no more."""

import io

from PIL import Image
from pypdf import PdfReader, PdfWriter


def with_text(*pages: str, title: str = "") -> bytes:
    """A PDF of so many pages, each with a line of text."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        content = 5 + 2 * number
        resources = "<</Font<</F1 3 0 R>>>>"
        page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources{resources}/Contents {content} 0 R>>"
        objects += [page, f"<</Length {len(stream)}>>\nstream\n{stream}\nendstream"]
    body = "".join(f"{number} 0 obj\n{one}\nendobj\n" for number, one in enumerate(objects, start=1))
    raw = f"%PDF-1.4\n{body}trailer\n<</Root 1 0 R/Size {len(objects) + 1}>>\nstartxref\n0\n%%EOF".encode()
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(raw)))
    if title:
        writer.add_metadata({"/Title": title})
    return _written(writer)


def with_figure(width: int, height: int) -> bytes:
    """A PDF whose one page is a picture."""
    target = io.BytesIO()
    Image.effect_noise((width, height), 60).convert("RGB").save(target, format="PDF")
    return target.getvalue()


def locked(data: bytes) -> bytes:
    """The same file behind a password."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt("secret", algorithm="RC4-128")
    return _written(writer)


def _written(writer: PdfWriter) -> bytes:
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()
