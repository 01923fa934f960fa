"""A failure carries what the server's words say, where it had any."""

import json

import pytest

from sidekeep.errors import ProviderFailed
from sidekeep.service.verdicts import judged

TOO_LONG = json.dumps({"error": {"message": "prompt is too long: 9000 tokens > 8192 maximum"}}).encode()


def _failed(body: bytes, *, verdict: str = "other", status: int = 400, delivered: str = "http-error") -> ProviderFailed:
    return ProviderFailed("It refused.", verdict=verdict, status=status, body=body, delivered=delivered)


@pytest.mark.parametrize("delivered", ["http-error", "stream-error", "in-200"])
def test_an_overflow_is_told_with_its_numbers(delivered: str) -> None:
    failure = _failed(TOO_LONG, delivered=delivered, status=400 if delivered == "http-error" else 200)
    assert judged(failure, "tiny").is_overflow
    assert failure.data == {
        "verdict": "overflow",
        "status": failure.status,
        "provider_message": "",
        "limit_tokens": 8192,
        "requested_tokens": 9000,
    }
    assert "tiny (8,192 tokens)" in failure.message
    assert str(failure) == failure.message


def test_the_status_alone_knows_less_than_the_words() -> None:
    failure = _failed(TOO_LONG, verdict="auth", status=401)
    judged(failure, "")
    assert failure.verdict == "overflow"


def test_a_window_that_is_full_is_known_by_the_stop_reason() -> None:
    failure = _failed(b'{"choices": []}', verdict="overflow", status=200, delivered="stop-reason")
    failure.stop_reason = "model_length"
    assert judged(failure, "tiny").kind == "overflow"


@pytest.mark.parametrize(
    "failure",
    [
        _failed(TOO_LONG, verdict="bad_response", delivered="stream-error"),
        _failed(TOO_LONG, verdict="unreachable", delivered="none"),
        _failed(b"No such model", verdict="other", status=404),
    ],
    ids=["what could not be read", "what was never reached", "an error of another kind"],
)
def test_the_first_verdict_stands_where_there_are_no_better_words(failure: ProviderFailed) -> None:
    before = (failure.verdict, failure.message, dict(failure.data))
    assert judged(failure, "tiny").kind == "other"
    assert (failure.verdict, failure.message, failure.data) == before


def test_a_rate_is_never_a_window() -> None:
    failure = _failed(b"Limit 30000 tokens per minute, Requested 41000.", verdict="rate_limit", status=429)
    assert judged(failure, "tiny").kind == "rate_limit"
    assert "limit_tokens" not in failure.data


@pytest.mark.parametrize(
    ("status", "words", "verdict", "sentence"),
    [
        (
            400,
            b"image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
            "images",
            "tiny does not take these pictures",
        ),
        (400, b"Request body is too large: 26214401 bytes", "payload_bytes", "too many bytes"),
        (400, b"Output blocked by content filtering policy", "content_filter", "filter objects"),
        (400, b"Too many tokens, please wait before trying again.", "rate_limit", "for the moment"),
        (403, b"Key limit exceeded (total limit).", "quota", "no credit left"),
    ],
)
def test_what_the_words_say_is_said_in_the_place_of_what_the_status_says(
    status: int, words: bytes, verdict: str, sentence: str
) -> None:
    failure = _failed(words, status=status, verdict="auth" if status == 403 else "other")
    judged(failure, "tiny")
    assert failure.verdict == verdict
    assert sentence in failure.message


def test_a_sentence_that_fits_the_verdict_stays() -> None:
    failure = _failed(b"Incorrect API key provided.", verdict="auth", status=401)
    judged(failure, "tiny")
    assert failure.message == "It refused."
