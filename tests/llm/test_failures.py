"""What a failure says, what it keeps of the server's words, and what it never holds."""

import json

import pytest

from sidekeep.llm.failures import REDACTED, Failures, redact, words_of
from sidekeep.llm.types import Endpoint

WORDS = {
    '{"error": {"message": "a", "type": "b"}}': "a",
    '{"error": "a"}': "a",
    '{"detail": "a"}': "a",
    '{"detail": [{"msg": "a", "loc": []}]}': "a",
    '{"code": 20015, "message": "a", "data": null}': "a",
    '[{"error": {"message": "a"}}]': "a",
    '{"error": {"message": "a", "metadata": {"raw": "b"}}}': "a: b",
    '{"error": {"message": "a", "metadata": {"raw": 5}}}': "a",
    '{"error_type": "x", "error_message": "a"}': "a",
    '{"error": {"code": 5}}': '{"error": {"code": 5}}',
    "  plain text \n": "plain text",
    "[]": "[]",
    '"a"': "a",
    '{"error": "\\ud800"}': "?",
    "[" * 100_000: "[" * 100_000,
    "": "",
}


@pytest.mark.parametrize(("body", "words"), WORDS.items(), ids=[body[:60] or "empty" for body in WORDS])
def test_the_servers_words_are_found_in_every_shape(body: str, words: str) -> None:
    assert words_of(body) == words


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("sk-abcd", "key sk-abcd, twice sk-abcd"),
        ('sk"ab\\cd', json.dumps({"key": 'sk"ab\\cd'})),
        ("sk/ab+cd=", "?key=sk%2Fab%2Bcd%3D"),
        ("sk/abcd", '{"key":"sk\\/abcd"}'),
    ],
    ids=["plain", "in JSON", "in a URL", "escaped slash"],
)
def test_the_key_is_redacted_in_every_form(key: str, text: str) -> None:
    redacted = redact(text, key)
    assert REDACTED in redacted
    assert "ab" not in redacted


@pytest.mark.parametrize("key", ["", "a", "abc"])
def test_what_is_too_short_for_a_secret_is_left_alone(key: str) -> None:
    assert redact("abc abc", key) == "abc abc"


def test_a_key_with_a_line_break_behind_it_is_redacted_too() -> None:
    endpoint = Endpoint("openai-chat", "http://localhost/v1", "small", "sk-abcd\n")
    assert "sk-abcd" not in str(Failures(endpoint).http_error(400, b"bad sk-abcd").data)


def test_the_sentence_names_the_server_and_the_model_and_never_quotes() -> None:
    failure = Failures(Endpoint("openai-chat", "https://api.example.com/v1", "tiny")).http_error(404, b"prompt: hello")
    assert failure.message == (
        "https://api.example.com knows no model “tiny” or no such address (404). "
        "Check the model's name and the base URL, which often ends in /v1."
    )
    assert failure.provider_message == "prompt: hello"


def test_an_endpoint_never_shows_its_key() -> None:
    assert "sk-abcd" not in repr(Endpoint("openai-chat", "http://localhost", "m", "sk-abcd"))


def test_an_offline_model_that_cannot_be_reached_has_stopped() -> None:
    failure = Failures(Endpoint("offline", "http://127.0.0.1:9/v1", "m")).unreachable("refused")
    assert failure.message == "The offline model has stopped. Send again to start it anew."


@pytest.mark.parametrize(
    "words",
    [
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "After the optional system message, conversation roles must alternate user and assistant",
        'messages: roles must alternate between "user" and "assistant"',
    ],
)
def test_a_server_that_wants_messages_joined_is_answered_with_what_to_do(words: str) -> None:
    failure = Failures(Endpoint("openai-chat", "http://localhost/v1", "m")).http_error(
        400, json.dumps({"m": words}).encode()
    )
    assert "Switch on “Join messages”" in failure.message
    assert failure.verdict == "other"


@pytest.mark.parametrize(
    ("error", "status", "verdict"),
    [
        ({"type": "overloaded_error"}, 529, "server"),
        ({"type": "rate_limit_error"}, 429, "rate_limit"),
        ({"code": "server_error"}, 500, "server"),
        ({"code": "rate_limit_exceeded", "type": "tokens"}, 429, "rate_limit"),
        ({"type": "invalid_request_error", "code": "context_length_exceeded"}, 400, "other"),
        ({"type": "new_error"}, 200, "other"),
        ({"type": ["x"]}, 200, "other"),
    ],
    ids=str,
)
def test_an_error_in_a_stream_has_the_status_that_its_name_means(error: object, status: int, verdict: str) -> None:
    failures = Failures(Endpoint("anthropic", "http://localhost", "m"))
    failure = failures.error_object(error, b"", delivered="stream-error")
    assert (failure.status, failure.verdict) == (status, verdict)
