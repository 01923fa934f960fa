"""Answers are hostile: what their Markdown becomes in a real page loads nothing, runs nothing, and leads only where it says."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tasks import pages
from tasks.cdp import Params
from tasks.page import Page
from tasks.places import ORIGIN

pytestmark = pytest.mark.browser

# Renders into the page, so that whatever could load or run would; tells what is left of the markup, and what ran.
RENDER = """(async () => {
  const {MarkdownView} = await import("/lib/markdown.js");
  window.ran = 0;
  window.alert = () => { window.ran += 1; };
  const root = document.createElement("div");
  document.body.append(root);
  new MarkdownView(root).update(%s);
  await new Promise((resolve) => setTimeout(resolve, 30));
  const all = [...root.querySelectorAll("*")];
  const attributes = all.flatMap((element) =>
    [...element.attributes].map(({name, value}) => [element.localName, name, value]));
  const tags = [...new Set(all.map((element) => element.localName))];
  const answer = {html: root.innerHTML, text: root.textContent, tags, attributes, ran: window.ran};
  root.remove();
  return answer;
})()"""
RENDER_AND_KEEP = """(async () => {
  const {MarkdownView} = await import("/lib/markdown.js");
  const root = document.createElement("div");
  document.body.append(root);
  new MarkdownView(root).update(%s);
  const directions = [...root.children].map((block) => getComputedStyle(block).direction);
  root.remove();
  return directions;
})()"""
# How many characters the parser is given while a text grows block by block.
PARSED = """(async () => {
  const text = %s;
  const {Lexer} = await import("/vendor/marked.js");
  const {MarkdownView} = await import("/lib/markdown.js");
  const {blockTokens} = Lexer.prototype;
  let parsed = 0;
  Lexer.prototype.blockTokens = function (source, ...rest) {
    parsed += source.length;
    return blockTokens.call(this, source, ...rest);
  };
  const view = new MarkdownView(document.createElement("div"));
  for (let end = 37; end <= text.length; end += 37) view.update(text.slice(0, end));
  Lexer.prototype.blockTokens = blockTokens;
  return {parsed, length: text.length};
})()"""
ALLOWED_ATTRIBUTES = {
    "href",
    "title",
    "target",
    "rel",
    "start",
    "align",
    "class",
    "colspan",
    "dir",
    "rowspan",
    "open",
    "tabindex",
}
FORBIDDEN_TAGS = {
    *("audio", "base", "button", "embed", "form", "frame", "iframe", "img", "input", "link", "math", "meta", "object"),
    *("picture", "portal", "script", "select", "source", "style", "svg", "template", "textarea", "track", "video"),
}
HOSTILE = {
    "a picture": "![alt](LEAK/p.png)",
    "a picture by reference": "![alt][r]\n\n[r]: LEAK/p.png",
    "a picture in a link": "[![alt](LEAK/p.png)](https://a.example)",
    "a picture of raw HTML": '<img src="LEAK/p.png" onerror="alert(1)">',
    "a picture that never ends": '<img src="LEAK/p.png" onerror="alert(1)"',
    "a picture set": '<picture><source srcset="LEAK/p.png"><img srcset="LEAK/q.png"></picture>',
    "a frame": '<iframe src="LEAK/f.html"></iframe>',
    "a frame with its own document": "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "a script": "<script>alert(1)</script>",
    "a script from elsewhere": '<script src="LEAK/s.js"></script>',
    "a style sheet": '<link rel="stylesheet" href="LEAK/s.css"><style>@import "LEAK/t.css";</style>',
    "a style": '<p style="background:url(LEAK/b.png)">x</p>',
    "a video": '<video src="LEAK/v.mp4" poster="LEAK/v.png" autoplay></video>',
    "an object": '<object data="LEAK/o"></object><embed src="LEAK/e">',
    "a form": '<form action="LEAK/x"><input autofocus onfocus=alert(1)><button formaction="javascript:alert(1)">a</button>',
    "a base address": '<base href="LEAK/">\n\n[x](y)',
    "a refresh": '<meta http-equiv="refresh" content="0;url=LEAK/">',
    "an SVG": '<svg onload="alert(1)"><image href="LEAK/i.png"/><script>alert(1)</script><use href="data:x"/></svg>',
    "MathML": '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
    "an event in a passed element": '<details open ontoggle="alert(1)"><summary>x</summary></details>',
    "a template": "<template><img src=x onerror=alert(1)></template>",
    "a title that breaks out": '[x](https://a.example "\\" onmouseover=\\"alert(1)")',
    "alt text that breaks out": '![" onerror="alert(1)](https://a.example/p.png)',
    "a language that breaks out": '```x"><img/src=x/onerror=alert(1)>\ncode\n```',
    "a name that hides the document": '<a id="body" name="cookie">x</a>',
    "a tag cut in two by a comment": "<scr<!-- -->ipt>alert(1)</scr<!-- -->ipt>",
    "a table cell": "| a |\n|---|\n| <img src=x onerror=alert(1)> ![x](LEAK/p.png) |",
}  # fmt: skip
ADDRESSES = {
    "javascript": ("[x](javascript:alert(1))", None),
    "javascript in capitals with a tab": ("[x](JaVa\tScript:alert(1))", None),
    "javascript by entity": ("[x](javascript&colon;alert(1))", None),
    "data": ("[x](data:text/html,<script>alert(1)</script>)", None),
    "a file": ("[x](file:///etc/passwd)", None),
    "the extension itself": ("[x](chrome-extension://hodbpabemnndpbbmcjdinhofnnepgklm/options/options.html)", None),
    "a relative one": ("[x](/options/options.html)", None),
    "mail": ("<a@b.example>", None),
    "https": ("[x](https://a.example/p?q=1)", "https://a.example/p?q=1"),
    "http, bare": ("see http://a.example/p", "http://a.example/p"),
    "a host in a name": ("[https://bank.example](https://evil.example/)", "https://evil.example/"),
}


@contextlib.contextmanager
def requests_of(page: Page) -> Iterator[list[str]]:
    """The addresses that a page asks for meanwhile, also those that its CSP then blocks."""
    urls: list[str] = []

    def on_event(message: Params) -> None:
        if message["method"] == "Network.requestWillBeSent" and message.get("sessionId") == page.session:
            urls.append(message["params"]["request"]["url"])

    page.call("Network.enable")
    stop = page.connection.listen(on_event)
    try:
        yield urls
    finally:
        stop()


def render(page: Page, text: str) -> dict[str, Any]:
    """What a text becomes."""
    found: dict[str, Any] = page.evaluate(RENDER % json.dumps(text))
    return found


@pytest.mark.parametrize("text", list(HOSTILE.values()), ids=list(HOSTILE))
def test_hostile_markdown_loads_nothing_and_runs_nothing(extension_page: Page, text: str) -> None:
    with pages.serve({}) as (base, _), requests_of(extension_page) as asked:
        made = render(extension_page, text.replace("LEAK", base))
    assert [url for url in asked if not url.startswith(ORIGIN)] == []
    assert made["ran"] == 0
    assert not set(made["tags"]) & FORBIDDEN_TAGS, made["html"]
    assert {name for _, name, _ in made["attributes"]} <= ALLOWED_ATTRIBUTES, made["html"]
    hrefs = [value for _, name, value in made["attributes"] if name == "href"]
    assert all(href.startswith(("http://", "https://")) for href in hrefs), made["html"]


@pytest.mark.parametrize(("text", "href"), list(ADDRESSES.values()), ids=list(ADDRESSES))
def test_only_http_links_lead_anywhere_and_they_show_their_host(
    extension_page: Page, text: str, href: str | None
) -> None:
    made = render(extension_page, text)
    links = {name: value for tag, name, value in made["attributes"] if tag == "a"}
    assert links.get("href") == href, made["html"]
    if href is not None:
        assert links["target"] == "_blank"
        assert {"noopener", "noreferrer"} <= set(links["rel"].split())
        assert links["title"] == href.split("/")[2]


def test_a_picture_becomes_a_link_with_its_description(extension_page: Page) -> None:
    made = render(extension_page, "![A chart](https://a.example/p.png)")
    assert made["text"].strip() == "A chart"
    assert ["a", "href", "https://a.example/p.png"] in made["attributes"]


def test_markup_that_is_not_passed_is_shown_as_text(extension_page: Page) -> None:
    made = render(extension_page, "Use <div class=x> here, H<sub>2</sub>O and a<br>b")
    assert "<div class=x>" in made["text"]
    assert {"sub", "br"} <= set(made["tags"])
    assert "div" not in made["tags"]


def test_what_markdown_is_for_comes_out(extension_page: Page) -> None:
    text = "# T\n\n- a\n- [x] b\n\n3. c\n\n> q\n\n`i` **s** *e* ~~d~~\n\n```py\nx < 1\n```\n\n| A | B |\n|:-|-:|\n| 1 | 2 |"
    made = render(extension_page, text)
    wanted = {"h1", "ul", "ol", "li", "blockquote", "code", "strong", "em", "del", "pre", "table", "th", "td"}
    assert wanted <= set(made["tags"])
    assert "x < 1" in made["text"]
    assert "☑" in made["text"]
    assert ["code", "class", "language-py"] in made["attributes"]


STREAM = """(async () => {
  const {MarkdownView} = await import("/lib/markdown.js");
  const text = %s;
  const grown = document.createElement("div");
  const view = new MarkdownView(grown);
  let kept = 0;
  for (let end = 0; end <= text.length; end += 1) {
    const first = grown.firstChild;
    view.update(text.slice(0, end));
    kept += first !== null && first === grown.firstChild;
    const whole = document.createElement("div");
    new MarkdownView(whole).update(text.slice(0, end));
    if (grown.innerHTML !== whole.innerHTML) return {at: end, grown: grown.innerHTML, whole: whole.innerHTML};
  }
  return {kept};
})()"""


def test_each_block_reads_in_its_own_direction(extension_page: Page) -> None:
    text = "Left, שמאל\n\nימין, right\n\n- רשימה\n\n```\nimport os\n```"
    rendered = extension_page.evaluate(RENDER_AND_KEEP % json.dumps(text))
    assert rendered == ["ltr", "rtl", "rtl", "ltr"]


def test_a_table_s_columns_stand_as_it_says_and_sentences_in_it_have_room(extension_page: Page) -> None:
    text = f"| a | b |\n|---|---:|\n| 1 | {'word ' * 20} |\n\n- [x] done\n- plain\n\n3. third"
    found = extension_page.evaluate(RENDER % json.dumps(text))
    assert ["td", "align", "right"] in found["attributes"]
    assert ["ol", "start", "3"] in found["attributes"]
    assert [pair for pair in found["attributes"] if pair[1] == "class"] == [
        ["div", "class", "table-scroller"],
        ["td", "class", "wordy"],
        ["li", "class", "task"],
    ]


GROWING = {
    "a formula over several blocks": "One.\n\n$$\na + b\n\n# c\n\n- d\n$$\n\nTwo, $x$.\n\nThree.\n\nFour.",
    "a formula that never ends": "One.\n\nIt costs $$ 5.\n\nTwo.\n\n\\[ a\n\nThree.\n\nFour.",
    "lists with gaps": "- a\n\n- b\n\n  of b\n\nText.\n\n1. one\n\n\n2. two\n\n    code\n\nEnd.",
    "code that opens late": "Text.\n\n~~~~\n# no title\n\n- no list\n~~~~\n\nText\n===\n\nMore\n\n    indented\n\n    on",
    "other ends of lines": "# A\r\n\r\nText\r\nmore\r\n\r\n- x\r\n- y\r\n\r\nEnd\r\n",
    "markup": "<details>\n<summary>S</summary>\n\nHidden **text**\n\n</details>\n\n<!-- a\n\nb -->\n\nEnd <b>x</b>.",
    "a table after its paragraph": "Text\n\nA | B\n--|--\n1 | 2\n3 | 4\n\n> q\nlazy\n\n> r\n\n---\n\nEnd",
}


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING.keys())
def test_what_a_later_line_changes_is_shown_as_the_whole_would_be(extension_page: Page, text: str) -> None:
    answer = extension_page.evaluate(STREAM % json.dumps(text))
    assert "at" not in answer, answer


def test_only_the_end_of_a_long_answer_is_parsed_again(extension_page: Page) -> None:
    grown = extension_page.evaluate(PARSED % json.dumps("A **word** in a line.\n\n- one\n- two\n\n" * 200))
    assert grown["parsed"] < 3 * grown["length"], "with each piece the whole would be two hundred times as much"


def test_a_text_that_grows_letter_by_letter_always_shows_what_the_whole_would(extension_page: Page) -> None:
    text = (
        "# Title\n\nFirst *para*graph with [a link][r] and `code`.\n\n- one\n- two\n  - three\n\n```js\nlet a = `x`;\n```\n\n"
        "| A | B |\n|---|---|\n| 1 | 2 |\n\n> quote\ngoes on\n\n[r]: https://a.example/\n\nThe end 😀."
    )
    answer = extension_page.evaluate(STREAM % json.dumps(text))
    assert "at" not in answer, answer
    assert answer["kept"] > len(text) / 2, "blocks that are complete stay the same elements"
