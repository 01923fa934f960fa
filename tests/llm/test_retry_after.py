"""How long a server asks to wait."""

import pytest

from sidekeep.llm.failures import Failures
from sidekeep.llm.retry_after import retry_after_s
from sidekeep.llm.types import Endpoint

NOW_S = 784_111_777  # Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-1"}, 0),
        ({"retry-after": "Sun, 06 Nov 1994 08:50:37 GMT"}, 60),
        ({"retry-after": "Sunday, 06-Nov-94 08:50:37 GMT"}, 60),
        ({"retry-after": "Sun, 06 Nov 1994 08:48:37 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Sun, 99 Nov 9999999 08:48:37 GMT"}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9),
    ],
    ids=str,
)
def test_headers_say_it_in_seconds_milliseconds_or_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW_S) == seconds


@pytest.mark.parametrize(
    ("body", "header", "seconds"),
    [
        (b'{"error":{"details":[{"@type":"x"},{"@type":"RetryInfo","retryDelay":"34.5s"}]}}', None, 34.5),
        (b'[{"error":{"details":[{"retryDelay":"2s"}]}}]', None, 2),
        (b'{"error":{"details":[{"retryDelay":"2s"}]}}', 5.0, 5),
        (b'{"error":{"details":[{"retryDelay":2}]}}', None, None),
        (b'{"error":"x"}', None, None),
        (b"[" * 100_000, None, None),
        (b"no JSON", None, None),
    ],
    ids=["Gemini", "Gemini's list", "header first", "a number", "text", "nested too deeply", "no JSON"],
)
def test_gemini_says_it_in_the_body(body: bytes, header: float | None, seconds: float | None) -> None:
    failures = Failures(Endpoint("gemini", "http://localhost", "small"))
    assert failures.http_error(429, body, retry_after_s=header).retry_after_s == seconds
