"""Judges an error answer: codes, then what is said of nothing but the window, then exclusions and families, text by text."""

import re
from collections.abc import Iterable, Sequence

from sidekeep.request.overflow.numbers import Numbers, read_numbers
from sidekeep.request.overflow.signals import (
    CODES,
    EXCLUSIONS,
    FAMILIES,
    PLAIN,
    RATE_AND_MONEY,
    STOP_REASONS,
    TWO_NUMBERS,
    Signal,
)
from sidekeep.request.overflow.unwrap import Answer, unwrap
from sidekeep.request.overflow.verdict import Kind, Verdict

# What a status says where the text says nothing. 413, 401, 422, 500 and 502 have all carried overflows.
_BY_STATUS: dict[int, Kind] = {401: "auth", 402: "quota", 403: "auth", 413: "payload_bytes", 429: "rate_limit"}
_STATUS = re.compile(
    r"\b(?:status|code|status_code|error)['\"]?(?: code)?[:=]? ?['\"]?([45]\d\d)\b|^\W{0,3}([45]\d\d)\b"
)


def classify(status: int | None, body: str | bytes, delivered: str = "http-error") -> Verdict:
    """What an error is. `delivered` is "http-error", "stream-error", "in-200" or "stop-reason".

    To be given what came over an error channel, never the model's own words: people ask about errors. Never raises.
    """
    answer = unwrap(body)
    if status is None or status < 400:
        status = _stated_status(answer) or status
    found = _signal(answer, status, delivered)
    if found is None:
        return Verdict(_BY_STATUS.get(status or 0, "other"), evidence=f"status {status}")
    signal, text = found
    if signal.kind != "overflow":
        return Verdict(signal.kind, evidence=signal.name)
    return _overflow(signal, _numbers(answer, text))


def _signal(answer: Answer, status: int | None, delivered: str) -> tuple[Signal, str] | None:
    """The rule that decides, and the text in which it was found."""
    decisive = CODES + STOP_REASONS if delivered in ("stop-reason", "finish_reason") else CODES
    if found := _first(answer.texts, decisive):
        return found
    if status in (402, 429):
        return _first(answer.texts, RATE_AND_MONEY)
    if found := _first(answer.texts, PLAIN):
        return found
    return _first(answer.texts, (*EXCLUSIONS, *FAMILIES)) or _by_numbers(answer.texts)


def _first(texts: Iterable[str], signals: Sequence[Signal]) -> tuple[Signal, str] | None:
    """The first text that any of the rules knows, and the first of the rules that know it."""
    return next(((signal, text) for text in texts for signal in signals if signal.found_in(text)), None)


def _by_numbers(texts: Iterable[str]) -> tuple[Signal, str] | None:
    for text in texts:
        if TWO_NUMBERS.found_in(text):
            numbers = read_numbers(text, {})
            if numbers.limit is not None and (numbers.requested or 0) > numbers.limit:
                return TWO_NUMBERS, text
    return None


def _stated_status(answer: Answer) -> int | None:
    for text in answer.texts:
        if match := _STATUS.search(text[:200]):
            return int(match[1] or match[2])
    return None


def _numbers(answer: Answer, text: str) -> Numbers:
    """From the text that decided; where that was a bare code, from the first that states any."""
    for candidate in (text, *answer.texts):
        numbers = read_numbers(candidate, answer.fields)
        if numbers.limit or numbers.requested:
            return numbers
    return Numbers()


def _overflow(signal: Signal, numbers: Numbers) -> Verdict:
    kind: Kind = "overflow_completion" if _completion_dominates(numbers) else "overflow"
    return Verdict(kind, numbers.limit, numbers.requested, numbers.prompt, numbers.completion, evidence=signal.name)


def _completion_dominates(numbers: Numbers) -> bool:
    """The prompt fits, and the room asked for the answer alone takes more than three quarters of the window."""
    if numbers.limit is None or numbers.completion is None:
        return False
    return 4 * numbers.completion > 3 * numbers.limit > 3 * (numbers.prompt or 0)
