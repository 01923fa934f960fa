"""How long a server asks to wait before the next request."""

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from sidekeep.llm.json_members import object_of, objects_of, text_of


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """Seconds from `now_s` (Unix time), None where the headers do not say.

    `retry-after-ms` (OpenAI, Anthropic), then `retry-after` as seconds, fractions too, or as a date (RFC 9110, 10.2.3).
    """
    if (milliseconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now_s)
    except (ValueError, OverflowError, OSError):
        return None


def retry_delay_s(error: Any) -> float | None:
    """Gemini's: `details` of the error with a `retryDelay` such as "34.07s"."""
    for detail in objects_of(object_of(error).get("details")):
        if (delay := _number(text_of(detail.get("retryDelay")).removesuffix("s"))) is not None:
            return delay
    return None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None
