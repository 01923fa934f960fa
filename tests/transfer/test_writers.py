"""What is written: JSON that comes back, Markdown with its pictures, HTML that is safe to open."""

import base64
import hashlib
from html.parser import HTMLParser
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.pictures import picture, url_of

from sidekeep.domain import attachment, pixels
from sidekeep.transfer.exported import ExportedChat, Item, pictures_of, redacted, safe
from sidekeep.transfer.picture_links import linked, with_pictures
from sidekeep.transfer.writers import markdown
from sidekeep.transfer.writers.html_page import Page
from sidekeep.transfer.writers.json_document import Sections, write

AT_MS = 1_767_258_000_000
PNG = picture(2, 2)
SHA = hashlib.sha256(PNG).hexdigest()
EVIL = "<script>alert(1)</script> [x](javascript:alert(1)) ![t](https://tracker.example/p.png) <img src=x onerror=alert(1)>"


def _item(content: Any, *, role: str = "user", **fields: Any) -> Item:
    lifted = pixels.lift({"content": content, "role": role, **fields})
    return Item("m", AT_MS, linked(lifted.body, lifted.cuts))


def _chat(*items: Item, name: str = "Tides") -> ExportedChat:
    return ExportedChat("c", name, AT_MS, AT_MS + 60_000, {"id": "c", "sessionId": "s"}, {"s": items})


def _with_picture(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url_of(PNG)}}]


def _base64_of(sha256: str) -> bytes | None:
    return base64.b64encode(PNG) if sha256 == SHA else None


part = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": st.text()}),
    st.binary(min_size=1, max_size=20).map(lambda data: {"image_url": {"url": url_of(data), "detail": "é"}}),
    st.just({"image_url": {"url": "picture:x"}}),
)


@given(
    st.lists(part, max_size=4), st.dictionaries(st.text(), st.integers(-(2**53), 2**53) | st.floats(allow_nan=False))
)
def test_a_message_with_links_in_place_of_its_pictures_comes_back_exactly(
    content: list[Any], extra: dict[str, Any]
) -> None:
    message = {**extra, "role": "user", "content": content}
    lifted = pixels.lift(message)
    there = {each.sha256.hex(): base64.b64encode(each.data).decode() for each in lifted.pictures}
    read = orjson.loads(linked(lifted.body, lifted.cuts))
    assert orjson.dumps(with_pictures(read, there.get)) == orjson.dumps(message)


def test_each_picture_is_found_once_for_each_message_that_shows_it() -> None:
    found = list(pictures_of([_item(_with_picture("a")), _item('no picture: "picture:'), _item(_with_picture("b"))]))
    assert [each.sha256 for each in found] == [SHA, SHA]


def test_the_json_document_has_its_parts_in_order() -> None:
    chat = _chat(_item(_with_picture("Look")))
    sections = Sections(
        pictures=[(SHA, base64.b64encode(PNG))],
        folders=[{"id": "f"}],
        chats=[chat],
        archives=[({"id": "a"}, chat.items)],
    )
    document = orjson.loads(b"".join(write(sections, exported_at_ms=AT_MS, host="0.1", is_redacted=False)))
    assert list(document) == [
        "format",
        "version",
        "exportedAt",
        "host",
        "redacted",
        "pictures",
        "folders",
        "chats",
        "live",
        "archives",
        "imports",
    ]
    assert document["chats"][0]["transcripts"]["s"][0]["message"]["content"][1]["image_url"]["url"] == (
        f"picture:{SHA}:data:image/png;base64,"
    )


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def _page(*chats: ExportedChat) -> tuple[str, list[tuple[str, dict[str, str | None]]]]:
    text = b"".join(Page(_base64_of).write(chats, "Chats")).decode()
    tags = _Tags()
    tags.feed(text)
    return text, tags.found


def test_a_page_runs_nothing_and_fetches_nothing() -> None:
    page_text = attachment.render(url="https://e.example/", title=EVIL, mode="article", text=EVIL)
    said = (_item(EVIL), _item(EVIL, role=EVIL, model=EVIL), _item(_with_picture(EVIL)), _item(page_text, attachId="a"))
    text, tags = _page(_chat(*said, name=EVIL))
    assert "script" not in {tag for tag, _ in tags}
    assert not [name for _, attrs in tags for name in attrs if name.startswith("on")]
    sources = [attrs["src"] for tag, attrs in tags if tag == "img"]
    assert sources == [url_of(PNG)]
    assert {"link", "iframe", "object", "form"}.isdisjoint(tag for tag, _ in tags)
    assert not [attrs for tag, attrs in tags if tag == "a" and str(attrs.get("href")).startswith("javascript")]
    assert "default-src 'none'" in text


def test_a_page_shows_code_tables_and_a_picture_that_is_gone() -> None:
    gone = Item("m", AT_MS, _item(_with_picture("x")).message.replace(SHA.encode(), b"0" * 64))
    text, tags = _page(_chat(_item("```py\na < b\n```\n\n| a |\n|---|\n| 1 |", role="assistant"), gone))
    assert {"pre", "code", "table"} <= {tag for tag, _ in tags}
    assert "a &lt; b" in text
    assert "[picture]" in text


def test_markdown_names_pictures_beside_it() -> None:
    text = markdown.write(_chat(_item(_with_picture("Look")), _item("A tide.", role="assistant", model="m*1")))
    assert f"![picture](pictures/{SHA[:16]}.png)" in text
    assert "## You, 2026-01-01 09:00 UTC" in text
    assert r"## Answer (m\*1), 2026-01-01 09:00 UTC" in text


NAMES = [
    "",
    "..",
    "../../etc/passwd",
    "a/b\\c:d",
    "CON",
    "nul.txt",
    "x" * 500,
    "日本" * 200,
    ".hidden",
    "a\0b\n",
    "Tides",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_chat_gets_a_file_name_that_every_system_takes(name: str) -> None:
    taken: set[str] = set()
    made = [markdown.file_name(_chat(name=each), taken) for each in (name, name.upper())]
    assert len({each.casefold() for each in made}) == 2
    for each in made:
        assert not set(each) & set('<>:"/\\|?*\0\n')
        assert len(each.encode()) < 160
        assert not each.startswith(".")
        assert each.partition(".")[0].lower() not in ("con", "nul")


def test_a_time_beyond_the_calendar_is_no_reason_to_fail() -> None:
    late = Item("m", 2**53, _item("late").message)
    assert "late" in markdown.write(_chat(late))
    assert "late" in _page(_chat(late))[0]


def test_redaction_takes_addresses_out_of_every_text() -> None:
    page = attachment.render(url="https://bank.example/acct?x=1", title="t", mode="article", text="at http://a.b/c.")
    item = safe(_item(page, videoSrc="https://v.example/1", sources=[{"url": "https://s.example/"}]), redact=True)
    assert b"example" not in item.message
    assert b"http" not in item.message
    assert redacted("see (https://a.example/x), and file:///etc/passwd") == "see ([URL]), and [URL]"


def test_a_member_that_holds_a_key_is_never_written() -> None:
    item = safe(_item("my apiKey is lost", config={"apiKey": "sk-1", "depth": {"accessToken": "t-1"}}), redact=False)
    assert orjson.loads(item.message) == {"content": "my apiKey is lost", "role": "user", "config": {"depth": {}}}
