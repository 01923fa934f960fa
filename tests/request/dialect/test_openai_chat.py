"""OpenAI's chat completions as they leave, and what their servers differ in."""

from typing import Any

import pytest
from tests.support.requests import PNG, answers, asks, body, calls, returns, says

from sidekeep.request.view import Image

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}


def messages(*entries: Any, **fields: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body("openai-chat", *entries, **fields)["messages"]
    return found


def test_a_question_becomes_a_streaming_request() -> None:
    assert body("openai-chat", asks("Why?"), system="Be brief.", temperature=0.2, max_tokens=512) == {
        "model": "tiny",
        "temperature": 0.2,
        "max_tokens": 512,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
    }


@pytest.mark.parametrize("model", ["o3-mini", "gpt-5", "gpt-6.2-sol", "openai/gpt-5-mini"])
def test_models_that_reason_take_their_own_name_for_the_length_and_no_temperature(model: str) -> None:
    sent = body("openai-chat", asks("Why?"), model=model, temperature=0.2, max_tokens=512)
    assert sent["max_completion_tokens"] == 512
    assert not {"temperature", "max_tokens"} & set(sent)


@pytest.mark.parametrize(
    ("model", "role"),
    [("gpt-5-mini", "developer"), ("gpt-5-chat-latest", "system"), ("gpt-4o", "system"), ("openai/gpt-5", "system")],
)
def test_instructions_come_from_the_developer_where_the_model_has_one(model: str, role: str) -> None:
    shown = messages(says("system", "Old."), asks("Why?"), model=model, system="Be brief.")
    assert [message["role"] for message in shown] == [role, role, "user"]


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        ("mistral-large-latest", False),
        ("codestral-2508", False),
        ("mistralai/mistral-large-latest", True),
        ("mistral-7b-instruct-v0.3", True),
        ("mistral", True),
    ],
)
def test_usage_is_asked_for_except_of_mistrals_own_api_which_refuses_that(model: str, asked: bool) -> None:
    assert ("stream_options" in body("openai-chat", asks("Why?"), model=model)) == asked


def test_pictures_stand_where_they_stood() -> None:
    assert messages(asks(PNG, "this?", PNG))[0]["content"] == [IMAGE, {"type": "text", "text": "this?"}, IMAGE]


def test_a_picture_elsewhere_is_sent_by_its_address_and_a_missing_one_is_told() -> None:
    there = Image(url="https://e.org/a.png")
    assert messages(asks(there, Image(sha256=b"gone")))[0]["content"] == [
        {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}},
        {"type": "text", "text": "[a picture that is missing from the store]"},
    ]


def test_pictures_of_an_answer_follow_it_as_the_persons() -> None:
    assert messages(asks("Draw."), answers("Here.", PNG)) == [
        {"role": "user", "content": "Draw."},
        {"role": "assistant", "content": "Here."},
        {"role": "user", "content": [IMAGE]},
    ]


def test_calls_of_tools_and_their_results_go_out_as_a_pair() -> None:
    assert messages(asks("Do."), calls("c1", "read", '{"a":1}'), returns("c1", "done", PNG)) == [
        {"role": "user", "content": "Do."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"a":1}'}}],
        },
        {"role": "tool", "content": "done\n\n[a picture]", "tool_call_id": "c1"},
    ]


CHAT = (asks("page"), asks("q1"), answers("a1"), asks("q2"))


@pytest.mark.parametrize(
    "fields",
    [{"alternate": True}, {"model": "mistralai/Mixtral-8x7B"}, {"model": "gemma-2-9b"}, {"model": "sonar-pro"}],
)
def test_servers_that_insist_on_turns_get_joined_messages(fields: dict[str, Any]) -> None:
    assert messages(*CHAT, **fields) == [
        {"role": "user", "content": "page\n\nq1"},
        {"role": "assistant", "content": "a1"},
        {"role": "user", "content": "q2"},
    ]


@pytest.mark.parametrize("fields", [{}, {"model": "gemma-2-9b", "alternate": False}])
def test_others_get_the_messages_as_they_are(fields: dict[str, Any]) -> None:
    assert [message["content"] for message in messages(*CHAT, **fields)] == ["page", "q1", "a1", "q2"]
