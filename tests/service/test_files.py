"""Files that are attached: what a PDF gives, and what is said of files that give nothing."""

import pytest
from tests.support import pdf

from sidekeep.errors import InvalidParams
from sidekeep.service import files
from sidekeep.service.files import page_of

TIDES = pdf.with_text("High water is at noon.", "Low water is at six.", title="A tide table")


def test_a_pdf_gives_its_text_page_by_page_and_its_own_title() -> None:
    page = page_of("tides.pdf", "application/pdf", TIDES)
    assert (page.title, page.mode) == ("A tide table", "pdf")
    assert page.text == "[Page 1]\nHigh water is at noon.\n\n[Page 2]\nLow water is at six."


def test_a_pdf_is_known_by_its_first_bytes_too_and_named_by_its_file_without_a_title() -> None:
    page = page_of("tides", "", pdf.with_text("High water."))
    assert (page.title, page.mode) == ("tides", "pdf")


def test_figures_come_as_pictures_and_ornaments_do_not() -> None:
    (figure,) = page_of("chart.pdf", "application/pdf", pdf.with_figure(200, 120)).images
    assert figure.startswith("data:image/")
    with pytest.raises(InvalidParams, match="neither text nor figures"):
        page_of("dot.pdf", "application/pdf", pdf.with_figure(20, 20))


def test_a_very_long_pdf_is_read_as_far_as_the_limits_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_PAGES", 1)
    read = page_of("tides.pdf", "application/pdf", TIDES).text
    assert "Low water" not in read
    assert read.endswith("[The file goes on: 1 more pages were left out.]")
    monkeypatch.setattr(files, "LIMIT_S", -1.0)
    with pytest.raises(InvalidParams):
        page_of("tides.pdf", "application/pdf", TIDES)


def test_a_text_file_is_text_whatever_it_says_it_is() -> None:
    page = page_of("notes.md", "application/octet-stream", "\ufeffBuy rope: 3 m, für später.".encode())
    assert (page.title, page.mode, page.text) == ("notes.md", "file", "Buy rope: 3 m, für später.")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pdf.locked(TIDES), "protected by a password"),
        (TIDES[: len(TIDES) // 3], "damaged|neither"),
        (b"%PDF-1.4\n" + b"\xff" * 500, "damaged"),
        (b"\x00\x01\x02", "neither a PDF nor text"),
        (b"\xff\xfe\xfa", "neither a PDF nor text"),
    ],
    ids=["locked", "cut short", "garbage", "zeros", "no UTF-8"],
)
def test_what_cannot_be_read_is_said_in_words(data: bytes, said: str) -> None:
    with pytest.raises(InvalidParams, match=said):
        page_of("file", "", data)
