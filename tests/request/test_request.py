"""What the model is shown: a pure function of stored rows and settings."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekeep.domain import pixels
from sidekeep.domain.message import MessageId, StoredMessage
from sidekeep.domain.providers import Provider
from sidekeep.request import build
from sidekeep.request.build import Conversation, RequestSettings, Turn
from sidekeep.request.dialect import openai_chat
from sidekeep.request.tokens import estimate
from sidekeep.request.view import Entry, Image, Text, view

SERVER = Provider("test", "openai-chat", "http://127.0.0.1:9/v1", "tiny")
OFFLINE = Provider("offline", "offline", "", "small", temperature=0.2, max_tokens=512)
PNG = "data:image/png;base64,iVBORw=="

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
parts = st.lists(
    st.one_of(
        st.fixed_dictionaries({"type": st.just("text"), "text": text}),
        st.just({"type": "image_url", "image_url": {"url": PNG}}),
        st.just({"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}),
        st.dictionaries(text, text, max_size=2),
    ),
    max_size=4,
)
conversations = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "oddity"]), "content": text | parts}),
    max_size=5,
)


def _stored(message: dict[str, Any]) -> StoredMessage:
    lifted = pixels.lift(message)
    return StoredMessage(
        message_pk=1,
        message_id=MessageId("m"),
        role=message["role"],
        created_at_ms=0,
        attach_id=None,
        size=0,
        area_bytes=0,
        body=lifted.body,
        cuts=lifted.cuts,
    )


def _said(*messages: dict[str, Any]) -> Conversation:
    return Conversation(view(map(_stored, messages)))


def _body(
    *messages: dict[str, Any],
    provider: Provider = SERVER,
    settings: RequestSettings | None = None,
    data_urls: dict[Image, bytes] | None = None,
) -> dict[str, Any]:
    """The body as the server reads it."""
    request, _ = build.build(_said(*messages), Turn(), provider, settings or RequestSettings())
    known = {image: PNG.encode() for image in request.pictures} if data_urls is None else data_urls
    found: dict[str, Any] = orjson.loads(openai_chat.write(request, known))
    return found


def _say(content: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content}


def test_a_question_becomes_a_streaming_request() -> None:
    assert _body(_say("Why?"), settings=RequestSettings("Be brief.")) == {
        "model": "tiny",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_temperature_and_length_are_sent_where_they_are_set() -> None:
    body = _body(_say("Why?"), provider=OFFLINE)
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("small", 0.2, 512)


def test_without_a_system_prompt_there_is_no_system_message() -> None:
    assert [message["role"] for message in _body(_say("Why?"))["messages"]] == ["user"]


@pytest.mark.parametrize(
    ("prompt", "language", "system"),
    [
        ("Be brief.", "Polish", "Be brief.\n\nAnswer in this language: Polish"),
        ("", "Polish", "Answer in this language: Polish"),
    ],
)
def test_the_reply_language_joins_the_system_prompt(prompt: str, language: str, system: str) -> None:
    body = _body(_say("Why?"), settings=RequestSettings(prompt, language))
    assert body["messages"][0] == {"role": "system", "content": system}


@pytest.mark.parametrize("empty", ["", [], [{"type": "text", "text": ""}], None, 5])
def test_an_answer_without_a_word_stays_out(empty: Any) -> None:
    messages = _body(_say("a"), _say(empty, "assistant"), _say("b"))["messages"]
    assert [message["content"] for message in messages] == ["a", "b"]


def test_an_unknown_role_is_sent_as_the_persons() -> None:
    assert [m["role"] for m in _body(_say("a", "oddity"), _say("b", "assistant"))["messages"]] == ["user", "assistant"]


def test_texts_without_pictures_are_one_string() -> None:
    content = [{"type": "text", "text": "a"}, {"type": "odd"}, {"type": "text", "text": "b"}]
    assert _body(_say(content))["messages"][0]["content"] == "a\n\nb"


def test_pictures_are_sent_as_they_are_where_they_stand() -> None:
    content = [{"type": "image_url", "image_url": {"url": PNG}}, {"type": "text", "text": "this?"}]
    assert _body(_say(content))["messages"][0]["content"] == content


def test_a_picture_elsewhere_is_sent_by_its_address() -> None:
    content = [{"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}]
    assert _body(_say(content), data_urls={})["messages"][0]["content"] == content


def test_an_empty_address_takes_no_other_pictures_place() -> None:
    content = [
        {"type": "image_url", "image_url": {"url": ""}},
        {"type": "text", "text": "between"},
        {"type": "image_url", "image_url": {"url": PNG}},
    ]
    assert _body(_say(content))["messages"][0]["content"] == content[1:]


def test_a_picture_that_is_missing_is_a_line_that_says_so() -> None:
    content = [{"type": "image_url", "image_url": {"url": PNG}}]
    (shown,) = _body(_say(content), data_urls={})["messages"][0]["content"]
    assert shown["type"] == "text"
    assert "missing" in shown["text"]


def test_the_offline_model_is_shown_labels_and_the_report_counts_them() -> None:
    content = [
        {"type": "image_url", "image_url": {"url": PNG}},
        {"type": "text", "text": "and"},
        {"type": "image_url", "image_url": {"url": PNG}},
    ]
    request, report = build.build(_said(_say(content)), Turn(), OFFLINE, RequestSettings())
    assert _body(_say(content), provider=OFFLINE)["messages"][0]["content"] == "[image 1]\n\nand\n\n[image 2]"
    assert (report.images_sent, report.images_labelled) == (0, 2)
    assert request.pictures == frozenset()


def test_a_text_that_looks_like_a_label_does_not_disturb_the_count() -> None:
    content = [{"type": "text", "text": "[image 7] is mine"}, {"type": "image_url", "image_url": {"url": PNG}}]
    assert _body(_say(content), provider=OFFLINE)["messages"][0]["content"] == "[image 7] is mine\n\n[image 1]"


def test_the_report_estimates_tokens_and_names_the_window() -> None:
    _, report = build.build(_said(_say("x" * 41)), Turn(), SERVER, RequestSettings())
    assert (report.window_tokens, report.window_source) == (8192, "default")
    assert estimate("x" * 41) < report.estimated_tokens < estimate("x" * 41) + 20
    wide = Provider("test", "openai-chat", "", "m", window=100_000)
    _, report = build.build(_said(_say("x")), Turn(), wide, RequestSettings())
    assert (report.window_tokens, report.window_source) == (100_000, "user")


@given(conversation=conversations, prompt=text)
def test_the_same_conversation_gives_the_same_bytes_and_is_left_alone(
    conversation: list[dict[str, Any]], prompt: str
) -> None:
    stored = [_stored(message) for message in (*conversation, _say("Why?"))]
    before = repr(stored)

    def write() -> bytes:
        request, _ = build.build(
            Conversation(view(stored)), Turn(), SERVER._replace(window=1_000_000), RequestSettings(prompt)
        )
        return openai_chat.write(request, {image: PNG.encode() for image in request.pictures})

    assert write() == write()
    assert repr(stored) == before


@given(conversation=conversations, more=conversations)
def test_a_longer_conversation_begins_with_the_same_messages(
    conversation: list[dict[str, Any]], more: list[dict[str, Any]]
) -> None:
    roomy = SERVER._replace(window=1_000_000)
    short = _body(*conversation, _say("Why?"), provider=roomy)["messages"]
    assert _body(*conversation, _say("Why?"), *more, provider=roomy)["messages"][: len(short)] == short


@given(content=parts)
def test_every_text_and_every_picture_is_shown(content: list[dict[str, Any]]) -> None:
    (entry,) = view([_stored(_say(content))])
    assert [part.text for part in entry.parts if isinstance(part, Text)] == [
        part["text"] for part in content if part.get("type") == "text" and part["text"]
    ]
    assert entry.images == sum("image_url" in part and isinstance(part["image_url"], dict) for part in content)


def test_an_entry_counts_its_pictures() -> None:
    assert Entry("m", "user", (Text("a"), Image(url="x"), Image(sha256=b"y"))).images == 2
