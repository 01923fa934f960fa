"""Reading the page beside the panel: what it becomes as text, and what is said of pages that cannot be read."""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tasks import pages
from tasks.browser import Browser
from tasks.page import Page
from tasks.places import ARTICLE

pytestmark = pytest.mark.browser

READ = """Promise.all([import("/lib/page-reader.js"), import("/lib/chrome.js")])
  .then(([reader, browser]) => reader.readPage(browser))"""
PARAGRAPH = "<p>The harbour lay quiet, and the light went round and round above the grey water of the bay.</p>\n"
FORMS = f"""<!doctype html><title>Forms &amp; more</title>
<nav><a href=/>Home</a> <a href=/about>About us</a></nav>
<article><h1>Forms</h1>{PARAGRAPH * 4}
<h2>A <em>list</em></h2>
<ul><li>first</li><li>second<ol start=3><li>third</li><li>fourth</li></ol></li></ul>
<pre><code class="language-python">def f(x):
    return "```" + x
</code></pre>
<blockquote><p>quoted</p><p>twice</p></blockquote>
<table><tr><th>Year</th><th>Ships | boats</th></tr><tr><td>1901</td><td>12</td></tr></table>
<p>Call <code>f(x)</code> and<br>break. <a href="https://a.example/?secret=1">A link</a></p>
<p hidden>hidden words</p><p style="display:none">unseen words</p>
<script>document.title += "";</script><style>p {{ color: red }}</style>
{PARAGRAPH * 4}</article><footer>Imprint</footer>"""
APPLICATION = (
    "<!doctype html><title>App</title><div id=root><div>Orders</div><section><h3>Open</h3>"
    + "".join(f"<div role=row>Order {number}: ready</div>" for number in range(60))
    + "</section></div>"
)
PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj
trailer<</Root 1 0 R>>
"""
LIAR = (
    "<!doctype html><title>Liar</title><script>window.Readability = 1; Node.prototype.cloneNode = null;</script>"
    "<p>honest words</p>"
)
# Elements by whose names the document's own members cannot be reached.
IN_THE_WAY = (
    b"<!doctype html><title>Named</title>"
    + b"".join(
        b"<form name=%s></form>" % name
        for name in (b"title", b"body", b"contentType", b"getElementsByTagName", b"cloneNode", b"documentElement")
    )
    + b"<p>Some words</p>"
)
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6364f8cf500f0003860180"
    "5a349e6b0000000049454e44ae426082"
)
FILES = {
    "/forms.html": ("text/html; charset=utf-8", FORMS.encode()),
    "/app.html": ("text/html", APPLICATION.encode()),
    "/empty.html": ("text/html", b"<!doctype html><title>Nothing</title>"),
    "/blank.html": ("text/html", b"<!doctype html><title>Blank</title><p> \n </p><script>1</script>"),
    "/many.html": ("text/html", b"<!doctype html><title>Many</title>" + b"<div><span>w</span> <b>x</b></div>" * 40_000),
    "/big.html": ("text/html", f"<!doctype html><title>Big</title><article>{PARAGRAPH * 55_000}</article>".encode()),
    "/plain.txt": ("text/plain", b"  first\n    second\n"),
    "/data.json": ("application/json", b'{"a": [1, 2]}'),
    "/no%20title.html": ("text/html", b"<p>Some words</p>"),
    "/100%.html": ("text/html", b"<p>Some words</p>"),
    "/in-the-way.html": ("text/html", IN_THE_WAY),
    "/paper.pdf": ("application/pdf", PDF),
    "/dot.png": ("image/png", PNG),
    "/liar.html": ("text/html", LIAR.encode()),
}


@dataclass
class Reader:
    """Opens pages with the panel beside them and reads them as Attach page does."""

    browser: Browser
    base: str

    def open(self, address: str) -> tuple[Page, Page]:
        """The page, and the panel that the icon's click on it opens."""
        page, _ = self.browser.try_open(self.base + address if address.startswith("/") else address)
        panel = self.browser.open_panel(page)
        panel.until("document.readyState === 'complete'", what="the panel's load")
        return page, panel

    def read(self, address: str) -> dict[str, Any]:
        """What the panel gets of a page."""
        page, panel = self.open(address)
        try:
            answer: dict[str, Any] = panel.evaluate(READ)
            return answer
        finally:
            panel.close()
            page.close()


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Reader]:
    """The pages of this file, served."""
    with pages.serve({path.replace("%20", " "): content for path, content in FILES.items()}) as (base, _):
        yield Reader(browser, base)


@pytest.fixture(scope="module")
def forms(reader: Reader) -> str:
    """The text of the page that has every form."""
    found = reader.read("/forms.html")
    assert found["title"] == "Forms & more"
    assert found["mode"] == "readable"
    return str(found["text"])


@pytest.mark.parametrize(
    "expected",
    [
        "\n## A list\n",
        "\n- first\n- second\n  3. third\n  4. fourth\n",
        '\n````python\ndef f(x):\n    return "```" + x\n````\n',
        "\n> quoted\n> twice\n",
        "\n| Year | Ships \\| boats |\n| --- | --- |\n| 1901 | 12 |\n",
        "\nCall `f(x)` and\nbreak. A link\n",
    ],
    ids=["a heading", "a list in a list", "code", "a quotation", "a table", "words in a line"],
)
def test_a_page_keeps_its_form_as_light_markdown(forms: str, expected: str) -> None:
    assert expected in forms, forms


@pytest.mark.parametrize(
    "word", ["hidden words", "unseen words", "color: red", "document.title", "secret=1", "Imprint"]
)
def test_what_a_reader_does_not_read_stays_out(forms: str, word: str) -> None:
    assert word not in forms


def test_the_article_that_the_project_ships_is_read(reader: Reader) -> None:
    with pages.served(str(ARTICLE)) as url:
        found = reader.read(url)
    assert found["title"] == "How the Harbour Lighthouse of Vell Came to Blink Twice"
    assert "Ingrid Holm" in found["text"]


def test_an_application_is_read_as_it_stands(reader: Reader) -> None:
    text = reader.read("/app.html")["text"]
    assert all(f"Order {number}: ready" in text for number in (0, 30, 59))


def test_a_page_of_five_megabytes_is_read_whole(reader: Reader) -> None:
    text = reader.read("/big.html")["text"]
    assert text.count("The harbour lay quiet") == 55_000


def test_a_page_of_very_many_elements_is_read(reader: Reader) -> None:
    found = reader.read("/many.html")
    assert found["mode"] == "full"
    assert found["text"].count("w x") == 40_000


@pytest.mark.parametrize(
    ("address", "title", "text"),
    [
        ("/plain.txt", "plain.txt", "first\n    second"),
        ("/data.json", "data.json", '{"a": [1, 2]}'),
        ("/no%20title.html", "no title.html", "Some words"),
        ("/100%.html", "100%.html", "Some words"),
        ("/in-the-way.html", "Named", "Some words"),
    ],
)
def test_pages_that_are_no_articles_are_read_too(reader: Reader, address: str, title: str, text: str) -> None:
    found = reader.read(address)
    assert (found["title"], found["text"]) == (title, text)


def test_a_pdf_in_the_browsers_viewer_is_read_as_its_file(reader: Reader) -> None:
    found = reader.read("/paper.pdf")
    assert (found["mode"], b64decode(found["base64"])) == ("pdf", PDF)


def test_a_page_cannot_reach_into_its_reading(reader: Reader) -> None:
    assert "honest words" in reader.read("/liar.html")["text"]


def test_reading_leaves_the_page_as_it_was(reader: Reader) -> None:
    state = (
        "[document.documentElement.outerHTML, Object.keys(window).filter((key) => /read|sidekeep/i.test(key)), scrollY]"
    )
    page, panel = reader.open("/forms.html")
    before = page.evaluate(state)
    for _ in range(2):  # the scripts are injected again each time
        assert panel.evaluate(READ)["ok"]
    assert page.evaluate(state) == before
    panel.close()
    page.close()


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("/empty.html", "empty"),
        ("/blank.html", "empty"),
        ("/dot.png", "not_text"),
        ("chrome://version/", "browser_page"),
        ("about:blank", "closed"),
        ("https://chromewebstore.google.com/", "store"),
    ],
)
def test_a_page_that_cannot_be_read_is_told_by_its_kind(reader: Reader, address: str, problem: str) -> None:
    assert reader.read(address) == {"ok": False, "problem": problem}


def test_the_source_of_a_page_is_told_apart(reader: Reader) -> None:
    assert reader.read(f"view-source:{reader.base}/forms.html") == {"ok": False, "problem": "closed"}


def test_another_site_is_not_read_without_a_new_click(reader: Reader) -> None:
    page, panel = reader.open("/forms.html")
    assert panel.evaluate(READ)["ok"]
    page.navigate(reader.base.replace("127.0.0.1", "localhost") + "/plain.txt")
    assert panel.evaluate(READ) == {"ok": False, "problem": "no_access"}
    reader.browser.click_icon(page)
    panel.until(f"{READ}.then(({{ok}}) => ok)", what="the grant")
    panel.close()
    page.close()


def test_a_file_is_read_where_the_person_has_allowed_it(reader: Reader, tmp_path: Path) -> None:
    file = tmp_path / "a page.html"
    file.write_text("<title>Local</title><p>on this disk</p>", encoding="utf-8")
    found = reader.read(file.as_uri())
    assert found.get("text") == "on this disk" or found["problem"] == "file"
