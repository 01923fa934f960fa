"""What holds for the bodies of every API."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.requests import DATA_URLS, PNG, answers, asks, body, read, request, says

from sidekeep.domain.providers import KINDS
from sidekeep.llm.api.table import APIS
from sidekeep.request.dialect.table import WRITERS
from sidekeep.request.view import Entry, Image, Text

SIDES = {"anthropic": ("messages", "content"), "gemini": ("contents", "parts")}

texts = st.text(max_size=8).map(Text)
pictures = st.sampled_from([PNG, Image(url="https://e.org/a.png"), Image(sha256=b"gone")])
roles = st.sampled_from(["user", "assistant", "system", "tool"])
entries = st.builds(
    lambda role, parts: says(role, *parts, tool_call_id="c1" if role == "tool" else ""),
    roles,
    st.lists(st.one_of(texts, pictures), min_size=1, max_size=3),
)
conversations = st.lists(entries, max_size=5).map(lambda rest: [asks("Why?"), *rest])


def test_each_kind_of_provider_has_a_writer_and_a_reader() -> None:
    assert set(WRITERS) == set(APIS) == set(KINDS)


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for member in value.values() for text in strings(member)]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("kind", WRITERS)
@given(conversation=conversations, system=st.text(max_size=8))
def test_the_same_request_gives_the_same_bytes_and_every_text_is_in_them(
    kind: str, conversation: list[Entry], system: str
) -> None:
    asked = request(*conversation, system=system)
    before = repr(asked)
    written = WRITERS[kind](asked, DATA_URLS)
    assert WRITERS[kind](asked, dict(DATA_URLS)) == written
    assert repr(asked) == before
    shown = "\0".join(strings(read(written)))
    said = [part.text for entry in conversation for part in entry.parts if isinstance(part, Text)]
    halves = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in [*said, system]]
    assert all(text in shown for text in halves if text.strip())


@pytest.mark.parametrize("kind", WRITERS)
@given(conversation=conversations, more=st.lists(entries, max_size=3))
def test_a_longer_conversation_begins_with_the_same_bytes(
    kind: str, conversation: list[Entry], more: list[Entry]
) -> None:
    short = WRITERS[kind](request(*conversation, system="Be brief."), DATA_URLS)
    long = WRITERS[kind](request(*conversation, *more, system="Be brief."), DATA_URLS)
    assert long.startswith(short.rstrip(b'"]}'))


@given(conversation=st.lists(st.builds(says, roles, texts), min_size=1, max_size=5))
def test_joined_messages_begin_with_the_same_bytes_too(conversation: list[Entry]) -> None:
    asked = [asks("Why?"), *conversation]
    write = WRITERS["openai-chat"]
    short, long = (write(request(*shown, alternate=True), {}) for shown in (asked[:-1], asked))
    assert long.startswith(short.rstrip(b'"]}'))


@pytest.mark.parametrize("kind", SIDES)
@given(conversation=conversations)
def test_sides_take_turns_the_person_begins_and_nothing_is_blank(kind: str, conversation: list[Entry]) -> None:
    messages, parts = SIDES[kind]
    shown = body(kind, *conversation)[messages]
    assert [message["role"] == "user" for message in shown] == [at % 2 == 0 for at in range(len(shown))]
    assert all(part.get("text", "x").strip() for message in shown for part in message[parts])
    assert all(message[parts] for message in shown)


@pytest.mark.parametrize("kind", WRITERS)
def test_half_a_character_spoils_no_request(kind: str) -> None:
    assert "a\ufffdb" in "".join(strings(body(kind, asks("a\ud83db"), answers("c"), system="d\udc00")))


@pytest.mark.parametrize("kind", WRITERS)
def test_pixels_are_put_in_without_being_looked_at(kind: str) -> None:
    pixels = b"A" * 3_000_000
    written = WRITERS[kind](request(asks("this?", PNG)), {PNG: b"data:image/png;base64," + pixels})
    assert written.count(pixels) == 1
    assert orjson.loads(written)
