"""Files that a person attaches: PDF, and whatever is text."""

import io
import time
from base64 import b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sidekeep.errors import InvalidParams
from sidekeep.service.attachments import PageToAttach

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MAX_PAGES = 500
MAX_FIGURES = 20
# Smaller pictures are rules, bullets and logos.
MIN_FIGURE_EDGE = 96
# A file can be built to take for ever; what was read until then is attached.
LIMIT_S = 30.0


def page_of(name: str, mime: str, data: bytes) -> PageToAttach:
    """A file as an attachment. Raises InvalidParams, in words, where a model could make nothing of it."""
    if mime == "application/pdf" or data.startswith(b"%PDF-"):
        return _pdf(name, data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise _unreadable(f"{name} is neither a PDF nor text, so a model cannot read it.")
    return PageToAttach(url="", title=name, mode="file", text=text)


def _pdf(name: str, data: bytes) -> PageToAttach:
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError

    try:
        reader = PdfReader(io.BytesIO(data))
        text, images = _content(reader)
        told = reader.metadata.title if reader.metadata else None
    except FileNotDecryptedError as exc:
        raise _unreadable(f"{name} is protected by a password, so it cannot be read.") from exc
    except Exception as exc:  # whatever a broken file does to the parser
        raise _unreadable(f"{name} cannot be read as a PDF: it seems to be damaged.") from exc
    if not text and not images:
        raise _unreadable(f"{name} has neither text nor figures.")
    return PageToAttach(url="", title=(told or "").strip() or name, mode="pdf", text=text, images=tuple(images))


def _content(reader: "PdfReader") -> tuple[str, list[str]]:
    """The text, page by page under its number, and the figures as data URLs."""
    until = time.monotonic() + LIMIT_S
    texts: list[str] = []
    images: list[str] = []
    left_out = 0
    for number, page in enumerate(reader.pages, start=1):
        if number > MAX_PAGES or time.monotonic() > until:
            left_out = len(reader.pages) - number + 1
            break
        if text := page.extract_text().strip():
            texts.append(f"[Page {number}]\n{text}")
        for image in _figures(page):
            if len(images) < MAX_FIGURES:
                images.append(image)
    if left_out and (texts or images):
        texts.append(f"[The file goes on: {left_out} more pages were left out.]")
    return "\n\n".join(texts), images


def _figures(page: "PageObject") -> Iterator[str]:
    for file in page.images:
        picture = file.image
        if picture is None or min(picture.size) < MIN_FIGURE_EDGE:
            continue
        if file.name.lower().endswith((".jpg", ".jpeg")):
            yield "data:image/jpeg;base64," + b64encode(file.data).decode()
            continue
        drawn = io.BytesIO()
        picture.save(drawn, format="PNG")
        yield "data:image/png;base64," + b64encode(drawn.getvalue()).decode()


def _unreadable(message: str) -> InvalidParams:
    return InvalidParams(message, errors=[{"loc": "file", "msg": message}])
