"""Anthropic's Messages API: what it insists on."""

from typing import Any

import pytest
from tests.support.requests import PNG, answers, asks, body, calls, read, request, returns, says

from sidekeep.request.dialect import anthropic
from sidekeep.request.view import Entry, Image

KIND = "anthropic"
CACHED = {"type": "ephemeral"}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def test_a_question_becomes_a_streaming_request_with_breakpoints_for_the_cache() -> None:
    assert body(KIND, asks("Why?"), model="claude-3-5-haiku-latest", system="Be brief.", temperature=0.2) == {
        "model": "claude-3-5-haiku-latest",
        "max_tokens": 4096,
        "temperature": 0.2,
        "stream": True,
        "cache_control": CACHED,
        "system": [{**text("Be brief."), "cache_control": CACHED}],
        "messages": [{"role": "user", "content": [text("Why?")]}],
    }


@pytest.mark.parametrize(("window", "asked", "sent"), [(200_000, None, 8192), (8192, None, 4096), (8192, 77, 77)])
def test_the_length_of_the_answer_is_always_said(window: int, asked: int | None, sent: int) -> None:
    assert body(KIND, asks("Why?"), window_tokens=window, max_tokens=asked)["max_tokens"] == sent


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("claude-3-7-sonnet-20250219", 1.0),
        ("claude-opus-4-20250514", 1.0),
        ("claude-sonnet-4-6", 1.0),
        ("anthropic/claude-haiku-4.5", 1.0),
        ("deepseek-chat", 1.0),
        ("claude-opus-4-7", None),
        ("claude-opus-5", None),
        ("claude-sonnet-5-5", None),
        ("claude-mythos-preview", None),
    ],
)
def test_temperature_is_at_most_one_and_only_for_models_that_take_it(model: str, sent: float | None) -> None:
    assert body(KIND, asks("Why?"), model=model, temperature=1.5).get("temperature") == sent


def test_what_follows_on_one_side_is_one_message_with_a_blank_line_between() -> None:
    shown = body(KIND, asks("page", PNG), asks("q1"), answers("a1"), answers("a2"), asks("q2"))["messages"]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}
    assert shown == [
        {"role": "user", "content": [text("page"), image, text("q1")]},
        {"role": "assistant", "content": [text("a1"), text("\n\na2")]},
        {"role": "user", "content": [text("q2")]},
    ]


def test_system_entries_at_the_beginning_join_the_system_text_and_later_ones_stay_in_place() -> None:
    sent = body(KIND, says("system", "Old."), asks("q"), says("system", "Later."), answers("a"), system="Be brief.")
    assert sent["system"][0]["text"] == "Be brief.\n\nOld."
    assert sent["messages"][0]["content"] == [text("q"), text("\n\nLater.")]


@pytest.mark.parametrize(
    ("entries", "roles"),
    [
        ((answers("a"), asks("q")), ["user", "assistant", "user"]),
        ((asks("q1"), answers("  \n"), asks("q2")), ["user"]),
        ((asks("q1"), answers(PNG), asks("q2")), ["user"]),
    ],
    ids=["an answer first", "a blank answer", "an answer of pictures alone"],
)
def test_the_person_begins_and_no_block_is_blank(entries: tuple[Entry, ...], roles: list[str]) -> None:
    shown = body(KIND, *entries)["messages"]
    assert [message["role"] for message in shown] == roles
    assert all(block["type"] == "image" or block["text"].strip() for message in shown for block in message["content"])


def test_calls_of_tools_and_their_results_are_told_in_words() -> None:
    shown = body(KIND, asks("Do."), calls("c1", "read", '{"a":1}'), returns("c1", "done"))["messages"]
    assert shown[1:] == [
        {"role": "assistant", "content": [text('[Called the tool read with {"a":1}]')]},
        {"role": "user", "content": [text("[Result of the tool read]"), text("\n\ndone")]},
    ]


@pytest.mark.parametrize(
    ("image", "data_url", "shown"),
    [
        (Image(url="https://e.org/a.png"), b"", {"type": "url", "url": "https://e.org/a.png"}),
        (
            Image(sha256=b"j"),
            b"data:image/JPG;base64,QQ==",
            {"type": "base64", "media_type": "image/jpeg", "data": "QQ=="},
        ),
        (
            Image(url="data:image/gif;base64,QQ=="),
            b"",
            {"type": "base64", "media_type": "image/gif", "data": "QQ=="},
        ),
        (Image(url="http://e.org/a.png"), b"", "[a picture at http://e.org/a.png]"),
        (
            Image(url='data:image/png;base64,"},{"'),
            b"",
            "[a picture of a kind that this model cannot read]",
        ),
        (Image(url="data:image/svg+xml,<svg/>"), b"", "[a picture of a kind that this model cannot read]"),
        (Image(sha256=b"gone"), b"", "[a picture that is missing from the store]"),
    ],
    ids=["address", "odd name of a type", "data URL of another's", "no https", "not base64", "not encoded", "missing"],
)
def test_a_picture_goes_as_its_bytes_or_address_or_is_told(image: Image, data_url: bytes, shown: Any) -> None:
    data_urls = {image: data_url} if data_url else {}
    (block,) = read(anthropic.write(request(asks(image)), data_urls))["messages"][0]["content"]
    assert block == ({"type": "image", "source": shown} if isinstance(shown, dict) else text(shown))
